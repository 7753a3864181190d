package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.command.Command;
import io.sluice.core.limit.Calendar;
import io.sluice.rules.model.Rule;
import io.sluice.runtime.fleet.NodeReport;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The words that are stored and sent. They are in databases, in the audit log with its signatures, in the API and on the way between
 * programs of different versions, so none of them may change, whatever happens to the name of a class or constant.
 */
class StoredWordsTest {

    private static final List<String> COMMANDS = List.of(
            "abort_rollout",
            "close_change",
            "edit_change",
            "end_adjustment",
            "fire_schedule",
            "open_change",
            "override_caller",
            "promote_trial",
            "rebase_change",
            "release_change",
            "repair_mirror",
            "roll_back",
            "set_verdict",
            "switch_to_shadow",
            "take_over");

    /** Of each enum with words, in the order of its constants. */
    private static final List<String> ENUMS = List.of(
            "STORE LEASE MEMORY STAND_IN",
            "administrator tenant_administrator editor approver operator viewer",
            "allowed rejected denied exempt",
            "applied waiting refused",
            "caller_refused tenant_share refusal_share degraded breaker_open release_not_acknowledged drift audit_not_witnessed node_silent",
            "center node redis outside",
            "closed open half_open none",
            "counts callers decisions",
            "counts decisions nodes alerts releases",
            "day week month year",
            "distributed local_distributed local",
            "explain reveal request",
            "firing repeated resolved",
            "global service resource caller",
            "http redis",
            "info warning critical",
            "ip share skip refuse",
            "limit exempt deny",
            "minute hour",
            "never_acts never_refuses conflict",
            "node application",
            "node read apply operate",
            "open local closed",
            "open trial released withdrawn rejected",
            "override switch",
            "pending done expired",
            "pending firing resolved",
            "plain hash",
            "promote roll_back hold",
            "rate burst capacity max_wait limit window align zone slices weighted ttl",
            "read edit release approve operate see_fleet see_log manage_people manage_tokens manage_center reveal report",
            "redis memory",
            "refusals errors latency degraded",
            "refuse absent",
            "release rollback switch override",
            "remote local open closed",
            "requests code early",
            "scheduled releasing trial holding done rolled_back superseded failed cancelled",
            "second minute hour day",
            "token_bucket leaky_bucket fixed_window sliding_window sliding_log concurrency",
            "unavailable refused expired no_role disabled not_fresh",
            "waiting ended accepted rejected");

    @Test
    void kindsOfCommandsStayAsTheyAreStored() throws Exception {
        TreeSet<String> kinds = new TreeSet<>();
        for (String name : classes(Center.class)) {
            Class<?> type = Class.forName(name, false, Center.class.getClassLoader());
            if (type.isRecord() && Command.class.isAssignableFrom(type) && type != Command.Act.class) {
                kinds.add(((Command) withoutContent(type)).kind());
            }
        }
        assertThat(kinds).containsExactlyElementsOf(COMMANDS);
    }

    private static Object withoutContent(Class<?> type) throws ReflectiveOperationException {
        Class<?>[] types = Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getType)
                .toArray(Class<?>[]::new);
        Object[] values = Arrays.stream(types)
                .<Object>map(each -> each == long.class ? (Object) 0L : each == boolean.class ? false : null)
                .toArray();
        Constructor<?> constructor = type.getDeclaredConstructor(types);
        constructor.setAccessible(true);
        return constructor.newInstance(values);
    }

    @Test
    void wordsOfEnumsStayAsTheyAreStoredAndSent() throws Exception {
        TreeSet<String> all = new TreeSet<>();
        for (Class<?> root : List.of(Center.class, NodeReport.class, Rule.class, Calendar.class)) {
            for (String name : classes(root)) {
                Class<?> type = Class.forName(name, false, root.getClassLoader());
                if (type.isEnum()) {
                    words(type).ifPresent(all::add);
                }
            }
        }
        assertThat(all).containsExactlyElementsOf(ENUMS);
    }

    private static Optional<String> words(Class<?> type) throws ReflectiveOperationException {
        Method word;
        try {
            word = type.getDeclaredMethod("word");
        } catch (NoSuchMethodException e) {
            return Optional.empty();
        }
        word.setAccessible(true);
        StringBuilder words = new StringBuilder();
        for (Object constant : type.getEnumConstants()) {
            words.append(words.isEmpty() ? "" : " ").append(word.invoke(constant));
        }
        return Optional.of(words.toString());
    }

    /** Returns the names of all classes of a module, which is a folder or, in a build of everything, a jar. */
    static List<String> classes(Class<?> root) throws Exception {
        Path place =
                Path.of(root.getProtectionDomain().getCodeSource().getLocation().toURI());
        if (Files.isDirectory(place)) {
            return classes(place, root);
        }
        try (FileSystem jar = FileSystems.newFileSystem(place)) {
            return classes(jar.getPath("/"), root);
        }
    }

    private static List<String> classes(Path folder, Class<?> root) throws IOException {
        String module = String.join("/", Arrays.copyOf(root.getName().split("\\."), 3)) + "/";
        try (Stream<Path> files = Files.walk(folder)) {
            return files.map(file -> folder.relativize(file).toString())
                    .filter(name -> name.startsWith(module) && name.endsWith(".class"))
                    .map(name ->
                            name.substring(0, name.length() - ".class".length()).replace('/', '.'))
                    .collect(Collectors.toList());
        }
    }
}

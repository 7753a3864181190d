package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Checks that the center is a chain of concepts: each uses only those before it, in its code and in its SQL. A table belongs to one concept.
 */
class CenterChainTest {

    /** The concepts from the lowest to the highest, each with its packages. Packages below them belong to the same concept. */
    private static final Map<String, Set<String>> CHAIN = chain(
            "base: database duty fleet http log personal refusal remote",
            "audit: audit auditlog checkpoint command export sink",
            "people: access account edge identity passkey people signin token",
            "privacy: erase retention",
            "govern: adjust approval change dryrun edit govern plan reach release verdict version",
            "watch: alert callers data decisions destination durable explain nodes series stream traffic",
            "console: page",
            "center: web");

    /** The tables of each concept. */
    private static final Map<String, Set<String>> TABLES = chain(
            "base: counter leadership node_report",
            "audit: answered_request audit_checkpoint audit_head audit_key audit_node audit_segment command",
            "people: account api_token ceremony confirmation one_time_link passkey passkey_user session",
            "privacy: erasure erasure_answer erasure_key",
            "govern: adjustment approval approval_settings change_author emergency rollout rule_change rule_version"
                    + " settings_proposal",
            "watch: alert alert_rule alert_silence durable_restore durable_restored durable_sum series_block");

    /** Writes all tables to a file and reads them back, so it names them all. */
    private static final String DUMP = "Dump.java";

    private static final String CENTER = "io.sluice.center";
    private static final Path SOURCES = Path.of("../center/src/main/java/io/sluice/center");
    private static final Path MIGRATIONS = Path.of("../center/src/main/resources/io/sluice/center/migrations");

    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\\\n]|\\\\.)*)\"");
    private static final Pattern CREATED = Pattern.compile("CREATE TABLE (\\w+)");
    private static final Pattern RENAMED = Pattern.compile("ALTER TABLE (\\w+) RENAME TO (\\w+)");

    /** A table after a word of SQL, at the end of a literal, or in a call that deletes or declares. */
    private static final Pattern IN_SQL = Pattern.compile("\\b(?:FROM|JOIN|INTO|UPDATE)\\s+(\\w+)");

    private static final Pattern IN_CALL =
            Pattern.compile("(?:OldIds\\.delete\\(\\s*\\w+,|new FreeText\\()\\s*\"(\\w+)\"");

    @Test
    void eachPackageBelongsToOneConcept() throws IOException {
        Set<String> packages = new TreeSet<>();
        try (Stream<Path> files = Files.list(SOURCES)) {
            files.filter(Files::isDirectory)
                    .forEach(each -> packages.add(each.getFileName().toString()));
        }
        List<String> owned =
                CHAIN.values().stream().flatMap(Set::stream).sorted().toList();
        assertThat(owned).doesNotHaveDuplicates().containsExactlyElementsOf(packages);
    }

    @Test
    void noConceptUsesAHigherOne() {
        Set<String> wrong = new TreeSet<>();
        int[] checked = new int[1];
        for (JavaClass user : new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages(CENTER)) {
            user.getDirectDependenciesFromSelf().forEach(dependency -> {
                String used = dependency.getTargetClass().getBaseComponentType().getPackageName();
                if (used.equals(CENTER) || used.startsWith(CENTER + ".")) {
                    checked[0]++;
                    if (rank(conceptOf(used)) > rank(conceptOf(user.getPackageName()))) {
                        wrong.add(conceptOf(user.getPackageName()) + " uses " + conceptOf(used) + ": "
                                + dependency.getDescription());
                    }
                }
            });
        }
        assertThat(checked[0]).isGreaterThan(1_000);
        assertThat(wrong).isEmpty();
    }

    @Test
    void eachTableBelongsToOneConcept() throws IOException {
        assertThat(TABLES.values().stream().flatMap(Set::stream).sorted().toList())
                .doesNotHaveDuplicates()
                .containsExactlyElementsOf(tables());
    }

    @Test
    void noSqlNamesATableOfAHigherConcept() throws IOException {
        Map<String, String> owners = new TreeMap<>();
        TABLES.forEach((concept, tables) -> tables.forEach(table -> owners.put(table, concept)));
        Set<String> wrong = new TreeSet<>();
        int[] checked = new int[1];
        for (Path file : files(SOURCES, ".java")) {
            Path relative = SOURCES.relativize(file);
            String concept = relative.getNameCount() == 1
                    ? "center"
                    : concept(relative.getName(0).toString());
            if (file.endsWith(DUMP)) {
                continue;
            }
            for (String table : tablesIn(Files.readString(file))) {
                if (owners.containsKey(table)) {
                    checked[0]++;
                    if (rank(owners.get(table)) > rank(concept)) {
                        wrong.add(relative + " of " + concept + " names " + table + " of " + owners.get(table));
                    }
                }
            }
        }
        assertThat(checked[0]).isGreaterThan(50);
        assertThat(wrong).isEmpty();
    }

    private static Set<String> tablesIn(String source) {
        Set<String> found = new TreeSet<>();
        // Literals that are joined form one statement.
        String joined = source.replaceAll("\"\\s*\\+\\s*\"", "");
        for (Matcher literal = LITERAL.matcher(joined); literal.find(); ) {
            IN_SQL.matcher(literal.group(1)).results().forEach(match -> found.add(match.group(1)));
        }
        IN_CALL.matcher(joined).results().forEach(match -> found.add(match.group(1)));
        return found;
    }

    /** Returns the tables that the migrations leave, without those that were renamed. */
    private static Set<String> tables() throws IOException {
        Set<String> tables = new TreeSet<>();
        Map<String, String> renamed = new TreeMap<>();
        for (Path file : files(MIGRATIONS, ".sql")) {
            String sql = Files.readString(file);
            CREATED.matcher(sql).results().forEach(match -> tables.add(match.group(1)));
            RENAMED.matcher(sql).results().forEach(match -> renamed.put(match.group(1), match.group(2)));
        }
        tables.removeAll(renamed.keySet());
        return tables;
    }

    private static List<Path> files(Path root, String ending) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(ending))
                    .sorted()
                    .toList();
        }
    }

    private static String conceptOf(String packageName) {
        return packageName.equals(CENTER)
                ? "center"
                : concept(packageName.substring(CENTER.length() + 1).split("\\.", -1)[0]);
    }

    private static String concept(String firstPart) {
        return CHAIN.entrySet().stream()
                .filter(concept -> concept.getValue().contains(firstPart))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow(() -> new AssertionError("package " + firstPart + " of the center belongs to no concept"));
    }

    private static int rank(String concept) {
        return new ArrayList<>(CHAIN.keySet()).indexOf(concept);
    }

    private static Map<String, Set<String>> chain(String... concepts) {
        Map<String, Set<String>> chain = new LinkedHashMap<>();
        for (String concept : concepts) {
            String[] parts = concept.split(": ", -1);
            chain.put(parts[0], Set.of(parts[1].split(" ", -1)));
        }
        return chain;
    }
}

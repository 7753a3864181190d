package io.sluice.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.Await;
import io.sluice.testkit.docs.Snippet;
import io.sluice.testkit.docs.SourceTree;
import io.sluice.testkit.process.SelfSigned;
import io.sluice.testkit.redis.RedisReply;
import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;

/**
 * A reader who types the commands of pages, page by page, in their order, in an empty folder with the examples, and with the configuration
 * that a page shows saved as {@code sluice.yaml} and {@code rules.yaml}.
 */
final class DocumentReader implements AutoCloseable {

    private static final Path ROOT = Path.of(System.getProperty("sluice.root"));
    private static final Pattern CONTENT = Pattern.compile("\\$\\(cat (\\S+)\\)");
    /** What a page that restores from a Redis, or verifies a recording, needs is a verb of its own. */
    private static final Pattern VERB = Pattern.compile(
            "(?m)^(\\./sluice( start --record| center --redis| apply \\S+ --title"
                    + "| import (nginx|redis)\\b|( (center|audit)\\b)?( [a-z][a-z0-9-]*(?= |$))?)|\\./test|curl|mvn|redis-cli)");

    private static final Pattern TESTED = Pattern.compile("-Dtest=(\\w+)(?:#(\\w+))?");
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final RedisServer redis = RedisServer.start();

    private final Path folder = Files.createTempDirectory("sluice-docs");
    private @Nullable SluiceProcess node;
    private @Nullable SluiceProcess center;

    /** Whether the process of the node is also a center. */
    private boolean hasCenter;

    /** Whether the node records its requests. */
    private boolean records;

    /** The verbs that this reader has followed, each of them once; null if the reader follows every command. */
    private final @Nullable Set<String> followed;

    DocumentReader(@Nullable Set<String> followed) throws IOException {
        this.followed = followed;
        Files.createSymbolicLink(folder.resolve("examples"), ROOT.resolve("examples"));
        Path secrets = Files.createDirectories(folder.resolve("secrets"));
        Files.writeString(secrets.resolve("center-token"), "0123456789abcdef0123456789abcdef");
    }

    /** The certificate that a page takes for granted. */
    private void certify() throws Exception {
        Path tls = Files.createDirectories(folder.resolve("tls"));
        if (Files.exists(tls.resolve("cert.pem"))) {
            return;
        }
        SelfSigned signed = new SelfSigned(tls);
        signed.make("own");
        Files.copy(signed.certificate("own"), tls.resolve("cert.pem"));
        Files.copy(signed.certificate("own"), tls.resolve("ca.pem"));
        Files.copy(signed.key("own"), tls.resolve("key.pem"));
    }

    void follow(Path page) throws Exception {
        for (Snippet snippet : Snippet.of(page)) {
            follow(snippet);
        }
    }

    private void follow(Snippet snippet) throws Exception {
        if (snippet.language().equals("yaml")) {
            String first = snippet.text()
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .findFirst()
                    .orElse("");
            if (snippet.text().contains("tls/cert.pem")) {
                certify();
            }
            Files.writeString(folder.resolve(first.equals("rules:") ? "rules.yaml" : "sluice.yaml"), snippet.text());
        }
        if (!isCommands(snippet)) {
            return;
        }
        String script = snippet.text().replaceAll("\\\\\\n\\s*", "");
        if (CONTENT.matcher(script).replaceAll("").contains("$(")) {
            shell(script);
            return;
        }
        for (String line : snippet.commands()) {
            if (!isToBeFollowed(line)) {
                continue;
            }
            try {
                run(line);
            } catch (Exception | AssertionError e) {
                throw new AssertionError(snippet + ": " + line, e);
            }
        }
    }

    private boolean isToBeFollowed(String line) {
        Matcher verb = VERB.matcher(line);
        return followed == null
                || !verb.find()
                || followed.add(verb.group())
                || (verb.group().equals("curl")
                        && (line.contains(":8083") ? center != null || (node != null && hasCenter) : node != null));
    }

    private void run(String line) throws Exception {
        List<String> words = Snippet.words(expanded(line.replace("redis://127.0.0.1:6379", redis.uri())));
        List<String> rest = words.subList(1, words.size());
        switch (words.get(0)) {
            case "./sluice" -> sluice(rest);
            case "curl" -> curl(rest);
            case "redis-cli" -> redisCli(rest);
            case "mvn" -> maven(line);
            case "head" -> shell(line);
            // This test is a part of it.
            case "./test" -> assertThat(ROOT.resolve("test")).isExecutable();
            default -> throw new AssertionError("nobody tests this command");
        }
    }

    /** Puts the content of a file where the line has {@code $(cat FILE)}. */
    private String expanded(String line) throws IOException {
        Matcher content = CONTENT.matcher(line);
        return content.find()
                ? content.replaceFirst(Matcher.quoteReplacement(
                        Files.readString(folder.resolve(content.group(1))).strip()))
                : line;
    }

    private void sluice(List<String> arguments) throws Exception {
        if (isForACenter(arguments)) {
            toTheCenter(arguments);
            return;
        }
        if (List.of("verify", "replay").contains(arguments.get(0)) && records) {
            // The page says so: what a killed node has recorded has no end.
            Await.until("a recorded request", Duration.ofMinutes(5), this::hasRecorded);
            assertThat(Objects.requireNonNull(node).stop()).isZero();
            closeNode();
        }
        switch (arguments.get(0)) {
            case "center" -> {
                closeNode();
                centerAlone(arguments);
            }
            case "start", "node" -> {
                closeNode();
                SluiceProcess process = start(arguments);
                node = process;
                hasCenter = arguments.get(0).equals("start");
                records = arguments.contains("--record");
                assertThat(process.port()).isPositive();
            }
            default -> end(start(arguments));
        }
    }

    private static void end(SluiceProcess process) throws Exception {
        try (process) {
            assertThat(process.exitCode()).as(process.printed()).isZero();
        }
    }

    private boolean hasRecorded() {
        return SourceTree.files(folder.resolve("recording"), ".requests.jsonl").stream()
                .anyMatch(file -> file.toFile().length() > 0);
    }

    /** Runs a center, which stays for the commands that follow, or works on its data, for which it must stop. */
    private void centerAlone(List<String> arguments) throws Exception {
        closeCenter();
        SluiceProcess process = start(arguments);
        if (arguments.size() == 1 || arguments.get(1).startsWith("--")) {
            center = process;
            assertThat(process.centerPort()).isPositive();
        } else {
            end(process);
        }
    }

    /** These need a center that runs, or its data. */
    private static boolean isForACenter(List<String> arguments) {
        return List.of("diff", "apply", "audit").contains(arguments.get(0))
                || (arguments.size() > 1
                        && arguments.get(0).equals("center")
                        && List.of("export", "backup", "check-sign-in", "token", "reset-admin")
                                .contains(arguments.get(1)));
    }

    private void toTheCenter(List<String> arguments) throws Exception {
        Map<String, String> environment = new HashMap<>(data());
        environment.put("SLUICE_CENTER", "http://127.0.0.1:" + withCenter().centerPort());
        environment.put("SLUICE_CENTER_PORT", String.valueOf(withCenter().centerPort()));
        end(SluiceProcess.in(folder, environment, arguments.toArray(String[]::new)));
    }

    /** Returns the process with the center. Pages leave the start to the page or the reader. */
    private SluiceProcess withCenter() throws Exception {
        if (center != null) {
            return center;
        }
        if (node == null || !hasCenter) {
            sluice(List.of("start"));
        }
        return Objects.requireNonNull(node);
    }

    private SluiceProcess withNode() throws Exception {
        if (node == null) {
            sluice(List.of("start"));
        }
        return Objects.requireNonNull(node);
    }

    /** Without it, all readers would share the directory of the clone. */
    private Map<String, String> data() {
        return Map.of("SLUICE_DATA", folder.resolve("data").toString());
    }

    private SluiceProcess start(List<String> arguments) throws Exception {
        List<String> all = new ArrayList<>();
        for (String argument : arguments) {
            all.add(
                    center == null
                            ? argument
                            : argument.replace("http://127.0.0.1:8083", "http://127.0.0.1:" + center.centerPort()));
        }
        if (List.of("start", "node").contains(arguments.get(0))) {
            all.addAll(List.of("--api-port", "0"));
        }
        Map<String, String> environment = new HashMap<>(arguments.get(0).equals("node") ? Map.of() : data());
        if (followed != null && !arguments.contains("--record")) {
            // Only a recording needs the sample traffic, which would run as long as the process.
            environment.put("SLUICE_DEMO", "false");
        }
        return SluiceProcess.in(folder, environment, all.toArray(String[]::new));
    }

    /** Sends the request to the ports that the node really has. Pages leave the start to the page or the reader. */
    private void curl(List<String> words) throws Exception {
        String url = "";
        String method = "GET";
        String body = "";
        HttpRequest.Builder request = HttpRequest.newBuilder();
        for (int i = 0; i < words.size(); i++) {
            switch (words.get(i)) {
                case "-i", "-s" -> {}
                case "-X" -> method = words.get(++i);
                case "-H" -> {
                    String[] header = words.get(++i).split(": ", 2);
                    request.header(header[0], header[1]);
                }
                case "-d" -> {
                    body = words.get(++i);
                    method = "POST";
                }
                default -> url = words.get(i).replaceFirst("^http://", "");
            }
        }
        SluiceProcess process = url.contains(":8083") ? withCenter() : withNode();
        String at = url.contains(":8080")
                ? url.replace(":8080", ":" + process.gatewayPort())
                : url.contains(":8083")
                        ? url.replace(":8083", ":" + process.centerPort())
                        : url.replace(":8082", ":" + process.port());
        HttpResponse<String> answer = HTTP.send(
                request.uri(URI.create("http://" + at))
                        .method(method, HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        // Some show what a refusal looks like.
        assertThat(answer.statusCode()).as(answer.body()).isIn(200, 201, 202, 429);
    }

    /** A function of another version than ours is not there to be deleted. */
    private void redisCli(List<String> command) {
        RedisReply reply = redis.command(command.toArray(String[]::new));
        if (reply instanceof RedisReply.Failure failure) {
            assertThat(failure.error()).contains("Library not found");
        }
    }

    /** Runs Maven with the same modules, profiles and properties, but only up to its validation. */
    private void maven(String line) throws Exception {
        String options = line.replaceAll(" (install|test-compile|test)\\b", "").replaceAll(" org\\.pitest:\\S+", "");
        shell("cd '" + ROOT + "' && " + options + " -o -q -Denforcer.skip=true validate");
        Matcher tested = TESTED.matcher(line);
        if (!tested.find()) {
            return;
        }
        Path test = SourceTree.files(ROOT, "/" + tested.group(1) + ".java").get(0);
        assertThat(Files.readString(test))
                .contains(tested.group(2) == null ? "class " + tested.group(1) : " " + tested.group(2) + "(");
    }

    private void shell(String script) throws Exception {
        ProcessBuilder builder = new ProcessBuilder("bash", "-eu", "-c", script)
                .directory(folder.toFile())
                .redirectErrorStream(true);
        // Maven ends before the optimising compiler pays.
        builder.environment().put("MAVEN_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
        Process process = builder.start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(printed).isZero();
    }

    private void closeCenter() {
        if (center != null) {
            center.close();
            center = null;
        }
    }

    /** Ends the node. A center stays until the page has been read. */
    private void closeNode() {
        if (node != null) {
            node.close();
            node = null;
            records = false;
        }
    }

    @Override
    public void close() {
        closeNode();
        closeCenter();
        redis.close();
    }

    /** Returns the pages with commands. */
    static Stream<Path> pages() {
        return Snippet.pages(ROOT).stream()
                .filter(page -> Snippet.of(page).stream().anyMatch(DocumentReader::isCommands));
    }

    /** Returns pages that together have every verb, those with the most verbs first. */
    static List<Path> withNewVerbs() {
        Set<String> seen = new HashSet<>();
        return pages().sorted(Comparator.comparingInt(page -> -verbs(page).size()))
                .filter(page -> seen.addAll(verbs(page)))
                .toList();
    }

    /** Returns the programs on a page, those of {@code ./sluice} with their verbs. */
    static Set<String> verbs(Path page) {
        return Snippet.of(page).stream()
                .filter(DocumentReader::isCommands)
                .flatMap(snippet -> VERB.matcher(snippet.text()).results())
                .map(MatchResult::group)
                .collect(Collectors.toSet());
    }

    private static boolean isCommands(Snippet snippet) {
        return snippet.language().equals("sh");
    }

    /** Returns a test in which this reader follows a page. */
    DynamicTest test(Path page) {
        return DynamicTest.dynamicTest(ROOT.relativize(page).toString(), () -> follow(page));
    }
}

package io.sluice.benchmarks;

import io.sluice.benchmarks.processes.Checkout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The files in {@code benchmarks/results}, and where the figures of a run are kept until all benchmarks are through. */
final class Results {

    /** The system property with the folder for the pages, seen from the checkout. */
    static final String FOLDER = "sluice.results";

    private Results() {}

    /** Returns the commit, the JVM, the machine and the versions of the peers. */
    static String heading(Map<String, String> peers) throws IOException {
        return String.format(
                "%nCommit %s, %s %s, %s, %d cores%s%n%n",
                commit(),
                System.getProperty("java.vm.name"),
                System.getProperty("java.version"),
                System.getProperty("os.arch"),
                Runtime.getRuntime().availableProcessors(),
                peers.isEmpty()
                        ? ""
                        : "; "
                                + new TreeMap<>(peers)
                                        .toString()
                                        .replaceAll("[{}]", "")
                                        .replace('=', ' '));
    }

    /** Writes a page, if the program was started by ./sluice. */
    static void write(String name, String page) throws IOException {
        Optional<Path> root = Checkout.root();
        if (root.isPresent()) {
            Path file = root.get()
                    .resolve(System.getProperty(FOLDER, "benchmarks/results"))
                    .resolve(name);
            Files.createDirectories(file.getParent());
            Files.writeString(file, page);
            System.out.println("\nwritten to " + root.get().relativize(file));
        }
    }

    /** Returns the file with the figures of the last run of a benchmark. */
    static Path figures(String benchmark) {
        return scratch("figures").resolve(benchmark + ".txt");
    }

    /** Returns a file that is not committed. */
    static Path scratch(String name) {
        return Checkout.root()
                .map(root -> root.resolve("benchmarks/target"))
                .orElseGet(() -> Path.of(System.getProperty("java.io.tmpdir"), "sluice-benchmarks"))
                .resolve(name);
    }

    private static String commit() throws IOException {
        Path root = Checkout.root().orElse(Path.of(""));
        if (!Files.exists(root.resolve(".git"))) {
            return "unknown";
        }
        String commit = git(root, "rev-parse", "--short", "HEAD");
        // A run writes its results while it goes on. They do not make it a run of changed code.
        boolean clean = git(root, "status", "--porcelain", "--", ".", ":!benchmarks/results")
                .isEmpty();
        return clean ? commit : commit + " with uncommitted changes";
    }

    private static String git(Path root, String... args) throws IOException {
        String[] command = new String[args.length + 3];
        System.arraycopy(new String[] {"git", "-C", root.toString()}, 0, command, 0, 3);
        System.arraycopy(args, 0, command, 3, args.length);
        Process git = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        return new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }
}

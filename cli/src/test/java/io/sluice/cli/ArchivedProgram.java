package io.sluice.cli;

import io.sluice.testkit.process.SharedFile;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import org.jspecify.annotations.Nullable;

/**
 * The program on the class path of this process, with an archive of its classes as {@code ./sluice} has one. A process with the archive
 * starts in about half of the time. All test processes of this module share the archive.
 */
public final class ArchivedProgram {

    /** As for the processes of tests: short, and of classes that javac has just written. */
    private static final List<String> FLAGS = List.of(
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:-BytecodeVerificationRemote");

    private static final Path FOLDER = Path.of("target", "archived-program").toAbsolutePath();

    private static @Nullable ArchivedProgram shared;

    private final Path archive;
    private final String classPath;

    private ArchivedProgram() throws IOException, InterruptedException {
        List<Path> entries = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.isEmpty())
                .map(Path::of)
                .toList();
        List<String> jars = new ArrayList<>();
        for (Path entry : entries) {
            // An archive knows only classes in jars.
            jars.add((Files.isDirectory(entry) ? FOLDER.resolve(jars.size() + ".jar") : entry).toString());
        }
        classPath = String.join(File.pathSeparator, jars);
        // Another class path needs another archive.
        archive = SharedFile.of(FOLDER.resolve(Integer.toHexString(classPath.hashCode()) + ".jsa"), entries, made -> {
            for (int i = 0; i < jars.size(); i++) {
                if (Files.isDirectory(entries.get(i))) {
                    pack(entries.get(i), Path.of(jars.get(i)));
                }
            }
            createArchive(made);
        });
    }

    public static synchronized ArchivedProgram shared() throws IOException, InterruptedException {
        if (shared == null) {
            shared = new ArchivedProgram();
        }
        return shared;
    }

    /** Returns the command without arguments. */
    public List<String> command() {
        return on(classPath);
    }

    /** Returns the command for a class path that ends with one folder more. */
    List<String> commandWith(Path more) {
        return on(classPath + File.pathSeparator + more);
    }

    private List<String> on(String classPath) {
        List<String> command = java(FLAGS);
        // As in ./sluice, standard output is reserved for the program.
        command.addAll(List.of(
                "-XX:SharedArchiveFile=" + archive,
                "-Xlog:disable",
                "-Xlog:all=warning:stderr",
                "-Xlog:cds=off:stderr",
                "-Xlog:cds+dynamic=off:stderr",
                "-cp",
                classPath,
                Main.class.getName()));
        return command;
    }

    /** Returns the command without an archive, for another class path. */
    static List<String> command(String classPath) {
        List<String> command = java(FLAGS);
        command.addAll(List.of("-cp", classPath, Main.class.getName()));
        return command;
    }

    private static List<String> java(List<String> flags) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        return command;
    }

    /** Runs a node and a center once. Nobody listens at the address of the Redis; trying it loads the classes of its client. */
    private void createArchive(Path made) throws IOException, InterruptedException {
        Path data = Files.createTempDirectory("archived-program");
        List<String> command = java(FLAGS);
        command.addAll(
                List.of("-XX:ArchiveClassesAtExit=" + made, "-Xlog:disable", "-cp", classPath, Main.class.getName()));
        command.addAll(List.of("start", "--redis", "redis://127.0.0.1:9", "--data", data.toString()));
        command.addAll(List.of("--center-port", "0", "--api-port", "0", "--grpc-port", "0", "--gateway-port", "0"));
        Path err = FOLDER.resolve("err");
        Process process =
                new ProcessBuilder(command).redirectError(err.toFile()).start();
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            String line = out.readLine();
            while (line != null && !line.startsWith("Ctrl-C")) {
                line = out.readLine();
            }
            process.destroy();
            process.waitFor();
        } finally {
            process.destroyForcibly();
            delete(data);
        }
        if (!Files.exists(made)) {
            throw new IllegalStateException("no archive: " + Files.readString(err));
        }
    }

    private static void pack(Path classes, Path jar) throws IOException {
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream packed = new JarOutputStream(out);
                Stream<Path> files = Files.walk(classes)) {
            packed.setLevel(Deflater.NO_COMPRESSION);
            for (Path file :
                    files.filter(each -> !each.equals(classes)).sorted().toList()) {
                String name = classes.relativize(file).toString().replace(File.separatorChar, '/');
                // Resources are also looked for by their folder.
                packed.putNextEntry(new JarEntry(Files.isDirectory(file) ? name + "/" : name));
                if (!Files.isDirectory(file)) {
                    Files.copy(file, packed);
                }
                packed.closeEntry();
            }
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}

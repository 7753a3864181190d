package io.sluice.cli;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
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
 * starts in about half of the time. Ends with this JVM.
 */
final class ArchivedProgram {

    private static final List<String> FLAGS = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

    private static @Nullable ArchivedProgram shared;

    private final Path folder = Files.createTempDirectory("archived-program");
    private final Path archive = folder.resolve("classes.jsa");
    private final String classPath;

    private ArchivedProgram() throws IOException, InterruptedException {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
        List<String> jars = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path path = Path.of(entry);
            // An archive knows only classes in jars.
            jars.add(Files.isDirectory(path) ? packed(path, folder.resolve(jars.size() + ".jar")) : entry);
        }
        classPath = String.join(File.pathSeparator, jars);
        createArchive();
    }

    static synchronized ArchivedProgram shared() throws IOException, InterruptedException {
        if (shared == null) {
            shared = new ArchivedProgram();
        }
        return shared;
    }

    /** Returns the command without arguments. */
    List<String> command() {
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
    private void createArchive() throws IOException, InterruptedException {
        List<String> command = java(FLAGS);
        command.addAll(List.of(
                "-XX:ArchiveClassesAtExit=" + archive, "-Xlog:disable", "-cp", classPath, Main.class.getName()));
        command.addAll(List.of("start", "--redis", "redis://127.0.0.1:9", "--data"));
        command.add(folder.resolve("data").toString());
        command.addAll(List.of("--center-port", "0", "--api-port", "0", "--grpc-port", "0", "--gateway-port", "0"));
        Process process = new ProcessBuilder(command)
                .redirectError(folder.resolve("err").toFile())
                .start();
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            String line = out.readLine();
            while (line != null && !line.startsWith("Ctrl-C")) {
                line = out.readLine();
            }
            process.destroy();
            process.waitFor();
        } finally {
            process.destroyForcibly();
        }
        if (!Files.exists(archive)) {
            throw new IllegalStateException("no archive: " + Files.readString(folder.resolve("err")));
        }
    }

    private static String packed(Path classes, Path jar) throws IOException {
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
        return jar.toString();
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

package io.sluice.benchmarks.processes;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A center with an embedded database, started as a user starts it. */
public final class CenterProcess implements AutoCloseable {

    private static final Pattern ADDRESS = Pattern.compile("center +GET +(http://127\\.0\\.0\\.1:[0-9]+)/");
    private static final Pattern TOKEN = Pattern.compile("token +(/\\S+)");
    private static final String LAST_LINE = "Ctrl-C";
    private static final int STOP_SECONDS = 20;

    private final Process process;
    private final URI address;
    private final String token;
    private final double startSeconds;

    private CenterProcess(Process process, String printed, double startSeconds) throws IOException {
        this.process = process;
        this.address = URI.create(found(ADDRESS, printed));
        this.token = Files.readString(Path.of(found(TOKEN, printed))).strip();
        this.startSeconds = startSeconds;
    }

    /** Starts a center with a new data directory and waits until it serves. */
    public static CenterProcess start() throws IOException {
        return start(Files.createTempDirectory("sluice-center"));
    }

    /** Starts a center with a data directory and waits until it serves. */
    public static CenterProcess start(Path data) throws IOException {
        List<String> command = NodeProcess.command();
        command.addAll(List.of("center", "--data", data.toString(), "--center-port", "0"));
        Path log = Files.createTempFile("sluice-center", ".log");
        log.toFile().deleteOnExit();
        long began = System.nanoTime();
        Process process =
                new ProcessBuilder(command).redirectError(log.toFile()).start();
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        StringBuilder printed = new StringBuilder();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            printed.append(line).append('\n');
            if (line.startsWith(LAST_LINE)) {
                return new CenterProcess(process, printed.toString(), (System.nanoTime() - began) / 1e9);
            }
        }
        process.destroyForcibly();
        throw new IOException(String.join(" ", command) + ": did not start: " + printed + Files.readString(log));
    }

    public URI address() {
        return address;
    }

    public String token() {
        return token;
    }

    public long pid() {
        return process.pid();
    }

    /** Returns the time from the command until the center served. */
    public double startSeconds() {
        return startSeconds;
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private static String found(Pattern pattern, String printed) throws IOException {
        Matcher found = pattern.matcher(printed);
        if (!found.find()) {
            throw new IOException("no " + pattern + " in: " + printed);
        }
        return found.group(1);
    }
}

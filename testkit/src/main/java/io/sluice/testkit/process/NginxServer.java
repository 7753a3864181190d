package io.sluice.testkit.process;

import io.sluice.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A real {@code nginx} on a free loopback port, with all its files in a temporary folder. Needs the program on the path; {@code
 * ./test} installs it. Ends with this JVM at the latest. Thread-safe.
 */
public final class NginxServer implements AutoCloseable {

    private static final Duration START = Duration.ofMinutes(1);
    private static final int ATTEMPTS = 5;

    /** The settings of the folders that nginx would otherwise look for outside its own folder. */
    private static final String SETTINGS = """
            daemon off;
            pid nginx.pid;
            worker_processes %d;
            error_log stderr warn;
            events { worker_connections 4096; }
            http {
              access_log off;
              client_body_temp_path body;
              proxy_temp_path proxy;
              fastcgi_temp_path fastcgi;
              uwsgi_temp_path uwsgi;
              scgi_temp_path scgi;
              %s
              server {
                listen 127.0.0.1:%d reuseport backlog=4096;
                %s
              }
            }
            """;

    private final int port;
    private final ServerProcess process;

    private NginxServer(int port, int workers, String http, String server) {
        this.port = port;
        this.process = ServerProcess.start(folder -> {
            String settings = SETTINGS.formatted(workers, http, port, server);
            return List.of("nginx", "-p", folder.toString(), "-c", written(folder, settings), "-e", "stderr");
        });
    }

    /**
     * Starts a server and waits until it accepts connections.
     *
     * @param server the directives within its {@code server} block
     */
    public static NginxServer start(String server) {
        return start(1, "", server);
    }

    /**
     * Starts a server and waits until it accepts connections.
     *
     * @param http the directives within its {@code http} block, before the {@code server}
     */
    public static NginxServer start(int workers, String http, String server) {
        String log = "";
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            NginxServer nginx = new NginxServer(Ports.free(), workers, http, server);
            if (Await.within(START, () -> !nginx.process.isAlive() || nginx.accepts()) && nginx.process.isAlive()) {
                return nginx;
            }
            log = nginx.process.log();
            nginx.close();
        }
        throw new IllegalStateException("nginx did not start in " + ATTEMPTS + " attempts: " + log);
    }

    public int port() {
        return port;
    }

    /** Returns {@code http://127.0.0.1:port}. */
    public String uri() {
        return "http://127.0.0.1:" + port;
    }

    /** Returns the id of the master process, to which the workers belong. */
    public long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        process.close();
    }

    private boolean accepts() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private static String written(Path folder, String settings) {
        try {
            return Files.writeString(folder.resolve("nginx.conf"), settings).toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

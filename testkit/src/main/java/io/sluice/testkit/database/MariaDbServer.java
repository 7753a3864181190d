package io.sluice.testkit.database;

import io.sluice.testkit.Await;
import io.sluice.testkit.process.Ports;
import io.sluice.testkit.process.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A real {@code mariadbd} on a free loopback port, with its data in a temporary folder. Needs MariaDB's programs on the path;
 * {@code ./test} installs them. Ends with this JVM at the latest. Thread-safe.
 */
public final class MariaDbServer implements AutoCloseable {

    private static final Duration START = Duration.ofMinutes(2);
    private static final int ATTEMPTS = 3;

    private static @Nullable MariaDbServer shared;

    private final int port;
    private final ServerProcess process;
    private final AtomicInteger databases = new AtomicInteger();

    private MariaDbServer(int port) {
        this.port = port;
        this.process = ServerProcess.start(folder -> commandLine(folder, port));
    }

    /** Returns the server that all test classes of this JVM share. Do not stop it. */
    public static synchronized MariaDbServer shared() {
        if (shared == null) {
            shared = start();
        }
        return shared;
    }

    /** Starts a server and waits until it answers. */
    public static MariaDbServer start() {
        String log = "";
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            // The port may be taken between finding and using it. The next attempt uses another port.
            MariaDbServer server = new MariaDbServer(Ports.free());
            if (server.awaitAnswer()) {
                return server;
            }
            log = server.process.log();
            server.process.close();
        }
        throw new IllegalStateException("mariadbd did not answer in " + ATTEMPTS + " attempts: " + log);
    }

    /** Creates an empty database and returns its JDBC URL. */
    public String database() {
        String name = "center" + databases.incrementAndGet();
        // The database has another character set than the center needs.
        sql("CREATE DATABASE " + name + " CHARACTER SET latin1");
        return "jdbc:mariadb://127.0.0.1:" + port + "/" + name + "?user=root";
    }

    public int port() {
        return port;
    }

    /** Runs a statement as the administrator. */
    public void sql(String statement) {
        try {
            Process client = client(statement);
            String output = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (client.waitFor() != 0) {
                throw new IllegalStateException(statement + ": " + output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Kills the server, as a crash would. */
    public void kill() {
        process.kill();
    }

    /** Starts the server again on the same port with the same data. */
    public void restart() {
        process.relaunch();
        if (!awaitAnswer()) {
            throw new IllegalStateException("mariadbd did not answer after a restart: " + process.log());
        }
    }

    @Override
    public void close() {
        process.close();
    }

    private boolean awaitAnswer() {
        boolean unused = Await.within(START, () -> !process.isAlive() || answers());
        return process.isAlive();
    }

    private boolean answers() {
        try {
            Process client = client("SELECT 1");
            client.getInputStream().readAllBytes();
            return client.waitFor() == 0;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run the client of MariaDB (./test installs what it needs)", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private Process client(String statement) throws IOException {
        return new ProcessBuilder(
                        "mariadb",
                        "--no-defaults",
                        "--protocol=tcp",
                        "--host=127.0.0.1",
                        "--port=" + port,
                        "--user=root",
                        "--connect-timeout=60",
                        "--execute=" + statement)
                .redirectErrorStream(true)
                .start();
    }

    /** Creates the data on the first start and then becomes the server, so that a restart finds its data. */
    private static List<String> commandLine(Path folder, int port) {
        List<String> options = new ArrayList<>(List.of(
                "--no-defaults",
                "--datadir=" + folder.resolve("data"),
                "--socket=" + folder.resolve("socket"),
                "--pid-file=" + folder.resolve("pid"),
                "--port=" + port,
                "--bind-address=127.0.0.1",
                "--skip-name-resolve",
                "--innodb-buffer-pool-size=32M",
                "--innodb-log-file-size=16M",
                // The data has to survive a kill of the server and not a power failure, so nothing is forced to the
                // disk.
                "--innodb-flush-method=nosync",
                "--innodb-flush-log-at-trx-commit=2",
                "--innodb-doublewrite=OFF",
                "--performance-schema=OFF",
                "--user=" + System.getProperty("user.name")));
        String install = "mariadb-install-db --no-defaults --datadir=" + folder.resolve("data")
                + " --auth-root-authentication-method=normal --skip-test-db --user=" + System.getProperty("user.name");
        String server = "PATH=$PATH:/usr/sbin exec mariadbd " + String.join(" ", options);
        return List.of(
                "sh", "-c", "[ -d '" + folder.resolve("data") + "/mysql' ] || " + install + " || exit 1; " + server);
    }
}

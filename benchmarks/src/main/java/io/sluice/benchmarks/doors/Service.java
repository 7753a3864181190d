package io.sluice.benchmarks.doors;

import io.sluice.benchmarks.processes.NodeProcess;
import io.sluice.testkit.process.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A process with Envoy's rate limit service.
 *
 * @param port its port for gRPC
 */
record Service(String name, int port, long pid, AutoCloseable end) implements AutoCloseable {

    private static final int START_SECONDS = 60;

    static Service sluice(Path rules, String redis) throws IOException {
        NodeProcess node = NodeProcess.start(List.of("node", "--rules", rules.toString(), "--redis", redis));
        return new Service("Sluice", node.grpcPort(), node.pid(), node);
    }

    /**
     * Starts the reference service, which is written in Go. It neither watches its files nor reports statistics.
     *
     * @param runtime the folder that has the configuration in {@code shop/config}
     */
    static Service reference(Path binary, Path runtime, int redisPort) throws IOException, InterruptedException {
        int port = Ports.free();
        ProcessBuilder builder = new ProcessBuilder(binary.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        String host = "127.0.0.1";
        builder.environment()
                .putAll(Map.of(
                        "RUNTIME_ROOT", runtime.toString(),
                        "RUNTIME_SUBDIRECTORY", "shop",
                        "RUNTIME_WATCH_ROOT", "false",
                        "REDIS_SOCKET_TYPE", "tcp",
                        "REDIS_URL", host + ":" + redisPort,
                        "USE_STATSD", "false",
                        "DISABLE_STATS", "true",
                        "LOG_LEVEL", "error"));
        builder.environment()
                .putAll(Map.of(
                        "HOST",
                        host,
                        "PORT",
                        Integer.toString(Ports.free()),
                        "DEBUG_HOST",
                        host,
                        "DEBUG_PORT",
                        Integer.toString(Ports.free()),
                        "GRPC_HOST",
                        host,
                        "GRPC_PORT",
                        Integer.toString(port)));
        Process process = builder.start();
        await(process, port, binary);
        return new Service("envoyproxy/ratelimit", port, process.pid(), process::destroy);
    }

    /** Starts a gRPC server that always says yes. */
    static Service idle() throws IOException {
        Side side = Side.start("no decision", "idle");
        return new Service(side.name, side.grpc, side.pid(), side);
    }

    private static void await(Process process, int port, Path binary) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        while (true) {
            try (Socket unused = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return;
            } catch (IOException e) {
                if (!process.isAlive() || System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(START_SECONDS)) {
                    process.destroyForcibly();
                    throw new IOException(binary + ": does not listen on port " + port, e);
                }
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
    }

    @Override
    public void close() throws Exception {
        end.close();
    }
}

package io.sluice.benchmarks.fleet;

import io.sluice.testkit.redis.RedisServer;
import java.util.List;

/** A fault that happens to a fleet during its run. */
enum FleetFault {
    NONE("none") {
        @Override
        void inject(List<Node> nodes, RedisServer redis, double seconds) {}
    },
    KILL("a node killed") {
        @Override
        void inject(List<Node> nodes, RedisServer redis, double seconds) {
            pause(seconds / 2);
            nodes.get(0).signal("KILL");
        }
    },
    STOP("a node stopped") {
        @Override
        void inject(List<Node> nodes, RedisServer redis, double seconds) {
            pause(seconds / 8);
            nodes.get(0).signal("STOP");
            pause(seconds / 2);
            nodes.get(0).signal("CONT");
        }
    },
    FLUSH("functions flushed") {
        @Override
        void inject(List<Node> nodes, RedisServer redis, double seconds) {
            long end = System.nanoTime() + (long) (seconds * 0.8e9);
            while (System.nanoTime() < end) {
                redis.command("FUNCTION", "FLUSH");
                redis.command("SCRIPT", "FLUSH");
                pause(0.1);
            }
        }
    },
    RESTART("Redis restarted empty") {
        @Override
        void inject(List<Node> nodes, RedisServer redis, double seconds) {
            pause(seconds / 2);
            redis.kill();
            redis.restart();
        }
    };

    final String words;

    FleetFault(String words) {
        this.words = words;
    }

    /** Injects the fault. Returns while the fleet is still running. */
    abstract void inject(List<Node> nodes, RedisServer redis, double seconds);

    static void pause(double seconds) {
        try {
            Thread.sleep((long) (seconds * 1_000));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

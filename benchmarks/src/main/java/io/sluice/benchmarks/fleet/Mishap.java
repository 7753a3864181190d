package io.sluice.benchmarks.fleet;

import io.sluice.testkit.redis.RedisServer;
import java.util.List;

/** What happens to a fleet in the middle of its work. */
enum Mishap {
    NONE("nothing") {
        @Override
        void strike(List<Node> nodes, RedisServer redis, double seconds) {}
    },
    KILL("a node killed") {
        @Override
        void strike(List<Node> nodes, RedisServer redis, double seconds) {
            pause(seconds / 2);
            nodes.get(0).signal("KILL");
        }
    },
    STOP("a node stopped") {
        @Override
        void strike(List<Node> nodes, RedisServer redis, double seconds) {
            pause(seconds / 8);
            nodes.get(0).signal("STOP");
            pause(seconds / 2);
            nodes.get(0).signal("CONT");
        }
    },
    FLUSH("functions flushed") {
        @Override
        void strike(List<Node> nodes, RedisServer redis, double seconds) {
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
        void strike(List<Node> nodes, RedisServer redis, double seconds) {
            pause(seconds / 2);
            redis.kill();
            redis.restart();
        }
    };

    final String words;

    Mishap(String words) {
        this.words = words;
    }

    /** Returns while the fleet is still at work. */
    abstract void strike(List<Node> nodes, RedisServer redis, double seconds);

    static void pause(double seconds) {
        try {
            Thread.sleep((long) (seconds * 1_000));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

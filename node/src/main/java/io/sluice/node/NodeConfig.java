package io.sluice.node;

import io.sluice.rules.KeyForm;
import io.sluice.rules.KeySecret;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What a node needs to know to start. Immutable.
 *
 * @param rules where its rules come from
 * @param redisUri the shared store; without one the node counts in process
 * @param redisPrefix what the names of all counts in the store start with
 * @param host the address that everything binds to
 * @param apiPort the port of the decision API; 0 takes a free one
 * @param hashKey the key of {@code privacy: hash}, the same on all nodes that share a store; needed only there
 * @param ipv6Prefix the bits of an IPv6 address that tell callers apart
 * @param hashTag the attribute of which the counts of one value are kept in one slot of a Redis Cluster; without it each count is
 *     where it falls
 * @param data where the node keeps what it needs for its next start, such as the rules in force; without it nothing is kept
 * @param grpc how it serves Envoy; without it {@code POST /json} alone speaks that protocol
 * @param xRateLimitHeaders whether answers carry {@code X-RateLimit-*}, too
 */
public record NodeConfig(
        RulesFrom rules,
        Optional<String> redisUri,
        String redisPrefix,
        String host,
        int apiPort,
        Optional<KeySecret> hashKey,
        int ipv6Prefix,
        Optional<String> hashTag,
        Optional<Path> data,
        Optional<GrpcSettings> grpc,
        boolean xRateLimitHeaders) {

    public static final String DEFAULT_PREFIX = "rate_limit";
    public static final String LOOPBACK = "127.0.0.1";

    private static final int HIGHEST_PORT = 65_535;

    public NodeConfig {
        if (rules instanceof RulesFrom.Store && redisUri.isEmpty()) {
            throw new IllegalArgumentException("redis: none (expected: a URI, rules are to come from there)");
        }
        if (apiPort < 0 || apiPort > HIGHEST_PORT) {
            throw new IllegalArgumentException("api port: " + apiPort + " (expected: 0.." + HIGHEST_PORT + ")");
        }
        if (redisPrefix.isBlank()) {
            throw new IllegalArgumentException("redis prefix: empty (expected: a word such as rate_limit)");
        }
        if (redisPrefix.indexOf('{') >= 0
                && redisUri.filter(NodeConfig::isCluster).isPresent()) {
            throw new IllegalArgumentException("redis prefix: " + redisPrefix
                    + " (expected: no braces, which would put all counts into one slot)");
        }
    }

    /** A node on loopback that counts in process, without a door for Envoy. */
    public static NodeConfig inProcess(RulesFrom rules, int apiPort) {
        return new NodeConfig(
                rules,
                Optional.empty(),
                DEFAULT_PREFIX,
                LOOPBACK,
                apiPort,
                Optional.empty(),
                KeyForm.DEFAULT_IPV6_PREFIX,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                false);
    }

    public NodeConfig withRules(RulesFrom from) {
        return new NodeConfig(
                from,
                redisUri,
                redisPrefix,
                host,
                apiPort,
                hashKey,
                ipv6Prefix,
                hashTag,
                data,
                grpc,
                xRateLimitHeaders);
    }

    public NodeConfig withRedis(String uri) {
        return new NodeConfig(
                rules,
                Optional.of(uri),
                redisPrefix,
                host,
                apiPort,
                hashKey,
                ipv6Prefix,
                hashTag,
                data,
                grpc,
                xRateLimitHeaders);
    }

    public NodeConfig withData(Path folder) {
        return new NodeConfig(
                rules,
                redisUri,
                redisPrefix,
                host,
                apiPort,
                hashKey,
                ipv6Prefix,
                hashTag,
                Optional.of(folder),
                grpc,
                xRateLimitHeaders);
    }

    public NodeConfig withHashKey(KeySecret key) {
        return new NodeConfig(
                rules,
                redisUri,
                redisPrefix,
                host,
                apiPort,
                Optional.of(key),
                ipv6Prefix,
                hashTag,
                data,
                grpc,
                xRateLimitHeaders);
    }

    public NodeConfig withGrpc(GrpcSettings settings) {
        return new NodeConfig(
                rules,
                redisUri,
                redisPrefix,
                host,
                apiPort,
                hashKey,
                ipv6Prefix,
                hashTag,
                data,
                Optional.of(settings),
                xRateLimitHeaders);
    }

    public NodeConfig withXRateLimitHeaders() {
        return new NodeConfig(
                rules, redisUri, redisPrefix, host, apiPort, hashKey, ipv6Prefix, hashTag, data, grpc, true);
    }

    private static boolean isCluster(String uri) {
        return uri.startsWith("redis-cluster:") || uri.startsWith("rediss-cluster:");
    }

    /** How callers become keys. Without a key of its own a node takes one that no other has. */
    KeyForm keyForm() {
        return new KeyForm(hashKey.orElseGet(KeySecret::random), ipv6Prefix, hashTag);
    }

    /** Where rules come from. */
    public sealed interface RulesFrom {

        /** A file, or a directory of them, watched for changes. */
        record File(Path path) implements RulesFrom {}

        /** A document that comes with the program and does not change. */
        record Text(String name, String text) implements RulesFrom {}

        /** The Redis of the configuration: what a center released, or the founding hashes. */
        record Store() implements RulesFrom {}

        /** There are none, and everything is allowed. */
        record Nowhere() implements RulesFrom {}
    }
}

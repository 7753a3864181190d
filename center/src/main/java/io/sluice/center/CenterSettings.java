package io.sluice.center;

import io.sluice.center.destination.AlertSettings;
import io.sluice.center.personal.RetentionSettings;
import io.sluice.center.signin.settings.SignInSettings;
import io.sluice.center.sink.AuditSink;
import io.sluice.center.version.ForeignRules;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The settings of a center.
 *
 * @param data the directory of its files
 * @param db a JDBC URL; empty for SQLite in the data directory
 * @param redis the Redis of the nodes, if there is one
 * @param bind the address that it listens on
 * @param port the port that it listens on; 0 for a free one
 * @param adminTokenFile the file with the administrator's token; without it, a token is created in the data directory
 * @param firstRules the rules of version 1, if nothing was released yet; empty for none
 * @param signIn the settings for its address and signing in
 * @param sinks the destinations outside the center that receive every row of the audit log
 * @param retention the times for which it keeps data that it no longer needs
 * @param alerts the destinations of alerts
 * @param shown rules that the center displays and cannot change, instead of its own rules
 */
public record CenterSettings(
        Path data,
        String db,
        Optional<String> redis,
        String bind,
        int port,
        Optional<Path> adminTokenFile,
        List<Rule> firstRules,
        SignInSettings signIn,
        List<AuditSink> sinks,
        RetentionSettings retention,
        AlertSettings alerts,
        Optional<ForeignRules> shown) {

    public CenterSettings {
        firstRules = List.copyOf(firstRules);
        sinks = List.copyOf(sinks);
        if (sinks.stream().map(AuditSink::name).distinct().count() != sinks.size()) {
            throw new IllegalArgumentException("sinks: the same one twice (expected: each once)");
        }
    }

    /** Returns the text without the addresses of database and Redis, which may include passwords. */
    @Override
    public String toString() {
        return "CenterSettings[" + data + ", " + bind + ":" + port + "]";
    }

    /** Returns settings for a center on this machine with the embedded database. */
    public static CenterSettings embedded(Path data) {
        return new CenterSettings(
                data,
                "",
                Optional.empty(),
                "127.0.0.1",
                0,
                Optional.empty(),
                List.of(),
                SignInSettings.LOCAL,
                List.of(),
                RetentionSettings.DEFAULT,
                AlertSettings.NONE,
                Optional.empty());
    }

    public CenterSettings db(String url) {
        return new CenterSettings(
                data, url, redis, bind, port, adminTokenFile, firstRules, signIn, sinks, retention, alerts, shown);
    }

    public CenterSettings redis(String uri) {
        return new CenterSettings(
                data,
                db,
                Optional.of(uri),
                bind,
                port,
                adminTokenFile,
                firstRules,
                signIn,
                sinks,
                retention,
                alerts,
                shown);
    }

    public CenterSettings listening(String address, int number) {
        return new CenterSettings(
                data, db, redis, address, number, adminTokenFile, firstRules, signIn, sinks, retention, alerts, shown);
    }

    public CenterSettings adminTokenFile(Path file) {
        return new CenterSettings(
                data, db, redis, bind, port, Optional.of(file), firstRules, signIn, sinks, retention, alerts, shown);
    }

    public CenterSettings signIn(SignInSettings other) {
        return new CenterSettings(
                data, db, redis, bind, port, adminTokenFile, firstRules, other, sinks, retention, alerts, shown);
    }

    /** Returns the same settings with other destinations for the rows of the audit log. */
    public CenterSettings sinks(List<AuditSink> others) {
        return new CenterSettings(
                data, db, redis, bind, port, adminTokenFile, firstRules, signIn, others, retention, alerts, shown);
    }

    public CenterSettings retention(RetentionSettings other) {
        return new CenterSettings(
                data, db, redis, bind, port, adminTokenFile, firstRules, signIn, sinks, other, alerts, shown);
    }

    public CenterSettings alerts(AlertSettings other) {
        return new CenterSettings(
                data, db, redis, bind, port, adminTokenFile, firstRules, signIn, sinks, retention, other, shown);
    }

    public CenterSettings firstRules(List<Rule> rules) {
        return new CenterSettings(
                data, db, redis, bind, port, adminTokenFile, rules, signIn, sinks, retention, alerts, shown);
    }

    /**
     * Displays rules from another source, such as a file. The center then changes nothing and releases nothing to Redis.
     *
     * @param name the origin of the rules, for people
     */
    public CenterSettings showing(String name, Supplier<RuleSet> rules) {
        return new CenterSettings(
                data,
                db,
                Optional.empty(),
                bind,
                port,
                adminTokenFile,
                List.of(),
                signIn,
                sinks,
                retention,
                alerts,
                Optional.of(new ForeignRules(name, rules)));
    }
}

package io.sluice.center.govern;

import io.sluice.center.access.Access;
import io.sluice.center.database.Database;
import io.sluice.center.edit.RuleYaml;
import io.sluice.center.edit.Tally;
import io.sluice.center.edit.TextDifference;
import io.sluice.center.govern.reply.DiffReply;
import io.sluice.center.govern.reply.RuleHistoryReply;
import io.sluice.center.govern.reply.RuleReply;
import io.sluice.center.govern.reply.RulesReply;
import io.sluice.center.govern.reply.VersionDocumentReply;
import io.sluice.center.govern.reply.VersionReply;
import io.sluice.center.http.CurrentAccess;
import io.sluice.center.reach.Visibility;
import io.sluice.center.version.RulesInForce;
import io.sluice.center.version.Version;
import io.sluice.center.version.Versions;
import io.sluice.rules.changes.RuleChange;
import io.sluice.rules.document.RuleSchema;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The API of the rules in force and of the released versions. */
@RestController
public final class RuleRoutes {

    private static final int MOST_IN_LIST = 200;

    /** The number of versions that a history searches. */
    private static final int MOST_LOOKED_AT = 50;

    private final Database database;
    private final RulesInForce rulesInForce;
    private final Versions versions;
    private final RuleGuard guard;

    RuleRoutes(Database database, Versions versions, RulesInForce rulesInForce, RuleGuard guard) {
        this.database = database;
        this.versions = versions;
        this.rulesInForce = rulesInForce;
        this.guard = guard;
    }

    @GetMapping("/api/rules")
    RulesReply rules(@RequestAttribute(CurrentAccess.ACCESS) Access access) {
        RuleSet set = rulesInForce.rules();
        return RulesReply.of(set, new Visibility(access).of(set));
    }

    /** Returns the schema that editors use to complete and check rules. */
    @GetMapping(path = "/api/rules/schema", produces = MediaType.APPLICATION_JSON_VALUE)
    String schema() {
        return RuleSchema.json();
    }

    @GetMapping("/api/rules/{id}")
    RuleReply rule(@RequestAttribute(CurrentAccess.ACCESS) Access access, @PathVariable("id") String id) {
        RuleSet set = rulesInForce.rules();
        Rule rule = set.rule(id).filter(access::sees).orElseThrow(() -> RuleGuard.missing("rule", id));
        return new RuleReply(set.version(), set.digest(), RulesReply.json(rule), RuleYaml.rule(rule));
    }

    @GetMapping("/api/rules/{id}/history")
    RuleHistoryReply history(@RequestAttribute(CurrentAccess.ACCESS) Access access, @PathVariable("id") String id) {
        return database.read(client -> history(client, access, id));
    }

    @GetMapping("/api/versions")
    List<VersionReply> list(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @RequestParam(name = "below", defaultValue = "" + Long.MAX_VALUE) long below,
            @RequestParam(name = "limit", defaultValue = "50") int limit) {
        int most = Math.max(1, Math.min(limit, MOST_IN_LIST));
        return database.read(client -> versions.list(client, below, most).stream()
                .map(version -> guard.version(client, access, version))
                .toList());
    }

    @GetMapping("/api/versions/{number}")
    VersionDocumentReply version(
            @RequestAttribute(CurrentAccess.ACCESS) Access access, @PathVariable("number") long number) {
        return database.read(client -> {
            Version version = versions.find(client, number).orElseThrow(() -> RuleGuard.missing("version", number));
            RuleSet set = set(client, number);
            return new VersionDocumentReply(
                    guard.version(client, access, version),
                    RulesReply.of(set, new Visibility(access).of(set)).rules());
        });
    }

    @GetMapping("/api/versions/{number}/diff")
    DiffReply diff(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            @PathVariable("number") long number,
            @RequestParam(name = "to") long to) {
        Visibility visibility = new Visibility(access);
        return database.read(client -> {
            RuleSet from = visibility.of(set(client, number));
            RuleSet after = visibility.of(set(client, to));
            return new DiffReply(
                    number,
                    to,
                    Tally.between(from, after),
                    RuleChange.between(from, after).stream()
                            .map(RuleChange::toString)
                            .toList(),
                    TextDifference.between(from, after));
        });
    }

    private RuleHistoryReply history(JdbcClient client, Access access, String id) {
        List<Version> newest = versions.list(client, Long.MAX_VALUE, MOST_LOOKED_AT + 1);
        List<RuleHistoryReply.Step> steps = new ArrayList<>();
        List<Optional<Rule>> states = new ArrayList<>();
        newest.forEach(version ->
                states.add(versions.rule(client, version.number(), id).filter(access::sees)));
        states.add(Optional.empty());
        for (int i = 0; i < Math.min(newest.size(), MOST_LOOKED_AT); i++) {
            Optional<Rule> after = states.get(i);
            Optional<Rule> before = states.get(i + 1);
            if (!after.equals(before)) {
                steps.add(new RuleHistoryReply.Step(
                        guard.version(client, access, newest.get(i)),
                        RuleChange.between(alone(before), alone(after)).stream()
                                .map(RuleChange::toString)
                                .toList()));
            }
        }
        if (states.stream().allMatch(Optional::isEmpty)) {
            throw RuleGuard.missing("rule", id);
        }
        return new RuleHistoryReply(id, steps, newest.size() <= MOST_LOOKED_AT);
    }

    private static RuleSet alone(Optional<Rule> rule) {
        return new RuleSet(1, rule.stream().toList());
    }

    private RuleSet set(JdbcClient client, long number) {
        return versions.rules(client, number).orElseThrow(() -> RuleGuard.missing("version", number));
    }
}

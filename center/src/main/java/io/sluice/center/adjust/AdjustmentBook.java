package io.sluice.center.adjust;

import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import io.sluice.center.command.CommandLog;
import io.sluice.center.command.RefusedException;
import io.sluice.center.database.Database;
import io.sluice.core.time.Clock;
import io.sluice.rules.adjust.AdjustedRules;
import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.adjust.Caller;
import io.sluice.rules.adjust.CallerOverride;
import io.sluice.rules.snapshot.RuleSet;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Overrides for single callers and switches to shadow. Each has a reason and an end. Nodes get those that apply, as one numbered
 * text. Thread-safe, also together with other centers on the same database.
 */
public final class AdjustmentBook {

    /** The longest time of an override. */
    public static final Duration LONGEST_OVERRIDE = Duration.ofDays(90);

    /** The longest time of a switch. */
    public static final Duration LONGEST_SWITCH = Duration.ofHours(24);

    private static final Logger LOG = LoggerFactory.getLogger(AdjustmentBook.class);
    private static final String REVISION = "adjustments";
    private static final int LONGEST_REASON = 10_000;
    private static final int LONGEST_VALUE = 1_000;
    private static final int LONGEST_NUMBERS = 1_000;

    private final Database database;
    private final CommandLog log;
    private final Clock clock;
    private final AdjustmentTable table = new AdjustmentTable();

    /** Returns the rules in force, then those on trial. */
    private final Function<JdbcClient, List<RuleSet>> rules;

    /**
     * Creates a book.
     *
     * @param rules returns the rules in force, then those on trial
     */
    public AdjustmentBook(Database database, CommandLog log, Clock clock, Function<JdbcClient, List<RuleSet>> rules) {
        this.database = database;
        this.log = log;
        this.clock = clock;
        this.rules = rules;
    }

    /**
     * A wish for other numbers for one caller.
     *
     * @param limit the limit's name in reports
     * @param numbers a JSON object
     */
    public record Wish(String rule, String limit, Caller caller, String numbers, Instant until, String reason) {}

    /** Gives a caller other numbers for a while. */
    public Adjustment override(Actor actor, Wish wish) {
        long until = until(wish.until(), LONGEST_OVERRIDE);
        String reason = reason(wish.reason());
        boolean byValue = wish.caller() instanceof Caller.ByValue;
        String attribute = wish.caller() instanceof Caller.ByValue by ? by.attribute() : "";
        String caller =
                wish.caller() instanceof Caller.ByValue by ? by.value() : ((Caller.ByHash) wish.caller()).hash();
        requireShort("caller", caller, LONGEST_VALUE);
        requireShort("numbers", wish.numbers(), LONGEST_NUMBERS);
        return database.write(client -> {
            requireRoom(client);
            requireFit(
                    rules.apply(client),
                    new CallerOverride(
                            "override", wish.rule(), wish.limit(), wish.caller(), wish.numbers(), wish.until()));
            long id = Database.next(client, "adjustment");
            log.add(
                    client,
                    actor,
                    new Command.OverrideCaller(id, wish.rule(), wish.limit(), wish.numbers(), until, reason));
            return added(
                    client,
                    new Adjustment(
                            id,
                            Adjustment.Kind.OVERRIDE,
                            wish.rule(),
                            wish.limit(),
                            byValue ? attribute : "",
                            caller,
                            wish.numbers(),
                            until,
                            reason,
                            actor.name(),
                            now(),
                            Database.next(client, REVISION),
                            0,
                            "",
                            ""));
        });
    }

    /**
     * Makes a rule, or all rules, refuse nothing for a while.
     *
     * @param rule the id of a rule, or {@code *} for all
     */
    public Adjustment switchToShadow(Actor actor, String rule, Instant end, String why) {
        long until = until(end, LONGEST_SWITCH);
        String reason = reason(why);
        return database.write(client -> {
            requireRoom(client);
            if (!rule.equals(Adjustment.ALL_RULES)
                    && rules.apply(client).stream()
                            .noneMatch(set -> set.rule(rule).isPresent())) {
                throw unprocessable("rule: " + rule + " (expected: a rule in force, or * for all)");
            }
            long id = Database.next(client, "adjustment");
            log.add(client, actor, new Command.SwitchToShadow(id, rule, until, reason));
            return added(
                    client,
                    new Adjustment(
                            id,
                            Adjustment.Kind.SWITCH,
                            rule,
                            "",
                            "",
                            "",
                            "",
                            until,
                            reason,
                            actor.name(),
                            now(),
                            Database.next(client, REVISION),
                            0,
                            "",
                            ""));
        });
    }

    /** Ends an override or a switch before it expires. */
    public Adjustment end(Actor actor, Adjustment.Kind kind, long id, String why) {
        String reason = reason(why);
        return database.write(client -> {
            Adjustment old = table.find(client, kind, id)
                    .orElseThrow(() -> RefusedException.missing(kind.word() + " " + id + ": unknown"));
            if (old.endedAt() != 0) {
                throw RefusedException.conflict(
                        kind.word() + " " + id + ": ended at " + Instant.ofEpochMilli(old.endedAt())
                                + " (expected: one that applies)",
                        Map.of("ended_at", Instant.ofEpochMilli(old.endedAt()).toString()));
            }
            log.add(client, actor, new Command.EndAdjustment(id, reason));
            table.end(client, id, now(), actor.name(), reason);
            long unused = Database.next(client, REVISION);
            return table.find(client, kind, id).orElseThrow();
        });
    }

    /** Ends what has expired. Nodes do so by themselves; this removes it from what they are told. */
    public void expire() {
        long now = now();
        if (database.read(client -> expired(client, now)).isEmpty()) {
            return;
        }
        List<Adjustment> ended = database.write(client -> {
            List<Adjustment> expired = expired(client, now);
            expired.forEach(each -> table.end(client, each.id(), each.until(), Actor.CENTER.name(), "expired"));
            if (!expired.isEmpty()) {
                long unused = Database.next(client, REVISION);
            }
            return expired;
        });
        ended.forEach(each -> LOG.info("{} {} of rule {} expired", each.kind().word(), each.id(), each.rule()));
    }

    /** Returns those of a kind with an id below a number, newest first, with those that have ended. */
    public List<Adjustment> list(Adjustment.Kind kind, long below, int most) {
        return database.read(client -> table.list(client, kind, below, most));
    }

    public Optional<Adjustment> find(Adjustment.Kind kind, long id) {
        return database.read(client -> table.find(client, kind, id));
    }

    /** Returns what nodes are told, or the same object if nothing changed. */
    public Adjustments current(JdbcClient client, Adjustments known) {
        long revision = client.sql("SELECT value FROM counter WHERE name = ?")
                .param(REVISION)
                .query(Long.class)
                .single();
        if (revision == known.revision()) {
            return known;
        }
        List<Adjustment> active = table.active(client);
        return new Adjustments(
                revision,
                active.stream()
                        .filter(each -> each.kind() == Adjustment.Kind.OVERRIDE)
                        .map(Adjustment::override)
                        .toList(),
                active.stream()
                        .filter(each -> each.kind() == Adjustment.Kind.SWITCH)
                        .map(Adjustment::shadowSwitch)
                        .toList());
    }

    private List<Adjustment> expired(JdbcClient client, long now) {
        return table.active(client).stream().filter(each -> each.until() <= now).toList();
    }

    private Adjustment added(JdbcClient client, Adjustment adjustment) {
        table.add(client, adjustment);
        return adjustment;
    }

    private void requireRoom(JdbcClient client) {
        if (table.active(client).size() >= Adjustments.MOST) {
            throw RefusedException.conflict("adjustments: " + Adjustments.MOST
                    + " apply already (expected: fewer; end some of them, or change the rules)");
        }
    }

    /** The override has to fit wherever its rule exists. */
    private static void requireFit(List<RuleSet> sets, CallerOverride override) {
        List<RuleSet> with = new ArrayList<>(sets);
        with.removeIf(set -> set.rule(override.rule()).isEmpty());
        for (RuleSet set : with.isEmpty() ? sets.subList(0, 1) : with) {
            AdjustedRules.fault(set, override).ifPresent(fault -> {
                throw unprocessable(set == sets.get(0) ? fault : "version " + set.version() + " on trial: " + fault);
            });
        }
    }

    private long until(Instant until, Duration longest) {
        Instant now = Instant.ofEpochMilli(now());
        if (!until.isAfter(now) || until.isAfter(now.plus(longest))) {
            throw RefusedException.invalid("until: " + until + " (expected: after " + now + " and at most "
                    + (longest.compareTo(LONGEST_SWITCH) > 0
                            ? longest.toDays() + " days"
                            : longest.toHours() + " hours")
                    + " later)");
        }
        return until.toEpochMilli();
    }

    private static String reason(String reason) {
        if (reason.isBlank()) {
            throw RefusedException.invalid("reason: empty (expected: a few words)");
        }
        requireShort("reason", reason, LONGEST_REASON);
        return reason.strip();
    }

    private static void requireShort(String name, String text, int most) {
        if (text.length() > most) {
            throw RefusedException.invalid(
                    name + ": " + text.length() + " characters (expected: at most " + most + ")");
        }
    }

    private static RefusedException unprocessable(String why) {
        return RefusedException.unprocessable(why, List.of(why));
    }

    private long now() {
        return clock.epochMicros() / 1000;
    }
}

package io.sluice.center;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.access.Scope;
import io.sluice.center.people.Account;
import io.sluice.center.people.Accounts;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** A center with some people: ann edits, bob and carol approve, olga is on call, and root administers. */
final class SecondPerson implements AutoCloseable {

    private static final Duration SOON = Duration.ofMinutes(5);

    private final QuietClock clock = QuietClock.at(1_800_000_000_000_000L);
    private final Map<String, Account> accounts = new HashMap<>();
    private final CenterSettings settings;
    private Center center;

    private SecondPerson(CenterSettings settings) throws CenterStartException {
        this.settings = settings;
        this.center = StagedCenter.open(settings, clock);
        ApiClient.of(center).release("first", 5);
        add("ann", "ann@example.com", Grant.of(Role.EDITOR));
        add("bob", "bob@example.com", Grant.of(Role.APPROVER));
        add("carol", "carol@example.com", Grant.of(Role.APPROVER));
        add("olga", "olga@example.com", Grant.of(Role.OPERATOR));
        add("root", "root@example.com", Grant.of(Role.ADMINISTRATOR));
    }

    static SecondPerson in(Path data) throws CenterStartException {
        return new SecondPerson(PreparedCenter.in(data));
    }

    static SecondPerson in(Path data, String database) throws CenterStartException {
        return new SecondPerson(CenterSettings.embedded(data).db(database));
    }

    Center center() {
        return center;
    }

    QuietClock clock() {
        return clock;
    }

    Account add(String name, String email, Grant... grants) {
        Account account = center.people().database().write(client -> center.people()
                .accounts()
                .add(client, Accounts.Draft.local(name, email, List.of(grants))));
        accounts.put(name, account);
        return account;
    }

    Account account(String name) {
        return Objects.requireNonNull(accounts.get(name));
    }

    /** Returns somebody who has just signed in. */
    ApiClient as(String name) {
        return ApiClient.person(center, accounts.get(name));
    }

    /** Returns the administrator's token. */
    ApiClient machine() {
        return ApiClient.of(center);
    }

    /** Returns a token that belongs to somebody. */
    ApiClient tokenOf(String owner, Scope... scopes) {
        return ApiClient.of(center).withToken(center.people().database().write(client -> center.people()
                .tokens()
                .create(
                        client,
                        accounts.get(owner).id(),
                        "test",
                        Set.of(scopes),
                        Optional.empty(),
                        clock.epochMicros() / 1000 + Duration.ofDays(365).toMillis())
                .secret()));
    }

    /** Changes an account. */
    void change(String name, java.util.function.UnaryOperator<Account> change) {
        accounts.put(name, center.people().database().write(client -> center.people()
                .accounts()
                .replace(
                        client,
                        change.apply(center.people()
                                .accounts()
                                .find(client, accounts.get(name).id())
                                .orElseThrow()))));
    }

    long version() {
        return as("root").get("/api/rules").expect(200).number("version");
    }

    /** Releases a new protected rule, as everybody should. */
    void protect(String rule) {
        releaseApproved(open(rule, 5));
    }

    /** Opens a change of a protected rule as ann. */
    Answer open(String rule, int limit) {
        return open("ann", rule(rule, limit, ""));
    }

    Answer open(String who, String rule) {
        return as(who).post("/api/changes", ApiClient.change(version(), "{\"put\":" + rule + "}"))
                .expect(201);
    }

    static String rule(String id, int limit, String more) {
        return "{\"id\":\"" + id + "\",\"resource\":\"/" + id + "\",\"protected\":true" + more
                + ",\"limits\":[{\"by\":\"ip\",\"limit\":" + limit + ",\"window\":\"1m\"}]}";
    }

    Answer approve(String who, Answer change) {
        return as(who).post(
                        "/api/changes/" + change.number("id") + "/approve",
                        "{\"digest\":\"" + change.string("digest") + "\",\"comment\":\"looks good\"}");
    }

    Answer release(ApiClient by, Answer change) {
        return by.release(change, "\"all\"", "");
    }

    long releaseApproved(Answer change) {
        approve("bob", change).expect(200);
        return release(as("ann"), change).expect(202).number("version");
    }

    Answer find(Answer change) {
        return as("root").get("/api/changes/" + change.number("id")).expect(200);
    }

    Instant in(Duration span) {
        return Instant.ofEpochMilli(clock.epochMicros() / 1000).plus(span);
    }

    Answer awaitRollout(Answer rollout, String state) {
        Await.until("state " + state, SOON, () -> {
            // Leadership needs time to pass.
            clock.advance(Duration.ofMillis(200));
            center.step();
            return rollout(rollout).string("state").equals(state);
        });
        return rollout(rollout);
    }

    Answer rollout(Answer rollout) {
        return as("root").get("/api/rollouts/" + rollout.number("id")).expect(200);
    }

    void await(String what, java.util.function.BooleanSupplier condition) {
        Await.until(what, SOON, () -> {
            clock.advance(Duration.ofMillis(200));
            center.step();
            return condition.getAsBoolean();
        });
    }

    /** Stops the center and starts it again on the same database. */
    void restart() throws CenterStartException {
        center.close();
        center = StagedCenter.open(settings, clock);
    }

    @Override
    public void close() {
        center.close();
    }
}

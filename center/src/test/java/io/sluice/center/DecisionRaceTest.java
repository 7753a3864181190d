package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.access.Scope;
import io.sluice.testkit.Await;
import io.sluice.testkit.database.MariaDbServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two people decide differently about the same thing, each on a center of their own. Both have read it before either of them has
 * decided: the test holds the counter of the audit log, which every decision needs before it ends.
 */
class DecisionRaceTest {

    private static final Duration SOON = Duration.ofMinutes(5);
    private static final String WHY = "{\"reason\":\"test\"}";
    private static final String EMERGENCY = ",\"emergency\":true,\"reason\":\"test\"";

    @TempDir
    Path data;

    private final ExecutorService people = Executors.newFixedThreadPool(2);
    private String db;
    private SecondPerson first;
    private Center second;

    @BeforeEach
    void start() throws Exception {
        db = MariaDbServer.shared().database();
        first = SecondPerson.in(data.resolve("first"), db);
        second = Center.open(CenterSettings.embedded(data.resolve("second")).db(db), first.clock());
    }

    @AfterEach
    void stop() {
        people.shutdownNow();
        second.close();
        first.close();
    }

    @Test
    void aProposalForTheSettingsIsApprovedOrRejected() {
        approvedOrRejected(10, true);
        approvedOrRejected(9, false);
    }

    private void approvedOrRejected(int raise, boolean rejectsFirst) {
        long id = propose("\"raise\":" + raise);
        Supplier<Answer> approve = () -> first.as("bob").post("/api/approval-settings/" + id + "/approve", "{}");
        Supplier<Answer> reject = () -> other("carol").post("/api/approval-settings/" + id + "/reject", WHY);
        Answer lost = rejectsFirst ? race(reject, approve) : race(approve, reject);
        Answer settings = first.as("ann").get("/api/approval-settings").expect(200);
        assertThat(settings.get("proposals")).isEmpty();
        boolean isApproved = settings.get("raise").asDouble() == raise;
        assertThat(lost.string("state")).isEqualTo(isApproved ? "approved" : "rejected");
        assertThat(lost.string("detail")).contains(isApproved ? "approved" : "rejected");
        assertThat(commands().stream().filter(kind -> kind.matches("(approve|reject)_approval_settings")))
                .hasSize(rejectsFirst ? 1 : 2);
    }

    @Test
    @Tag("long")
    void aProposalThatNeedsFurtherApprovalsIsNotApprovedOnceItIsRejected() {
        first.as("bob")
                .post("/api/approval-settings/" + propose("\"approvals\":2") + "/approve", "{}")
                .expect(200);
        long id = propose("\"raise\":10");
        orderedRace(
                () -> first.as("bob").post("/api/approval-settings/" + id + "/approve", "{}"),
                "approve_approval_settings",
                () -> other("carol").post("/api/approval-settings/" + id + "/reject", WHY),
                "reject_approval_settings");
    }

    @Test
    @Tag("long")
    void aChangeIsNotApprovedOnceItIsRejected() {
        Answer change = first.open("login", 5);
        String path = "/api/changes/" + change.number("id");
        orderedRace(
                () -> first.approve("bob", change),
                "approve_change",
                () -> other("carol").post(path + "/reject", WHY),
                "close_change");
    }

    @Test
    @Tag("long")
    void aChangeIsReleasedOrRejected() {
        Answer change = first.open("login", 5);
        first.approve("bob", change).expect(200);
        Answer lost = race(() -> first.release(first.as("ann"), change), () -> other("carol")
                .post("/api/changes/" + change.number("id") + "/reject", WHY));
        assertThat(lost.string("state"))
                .isEqualTo(first.find(change).string("state"))
                .isIn("released", "rejected");
    }

    @Test
    @Tag("long")
    void anEmergencyIsAcceptedOrRejected() {
        first.protect("login");
        first.as("ann").release(first.open("login", 50), "\"all\"", EMERGENCY).expect(202);
        Answer lost = race(() -> first.as("bob").post("/api/emergencies/1/accept", WHY), () -> other("carol")
                .post("/api/emergencies/1/reject", WHY));
        assertThat(lost.string("state"))
                .isEqualTo(first.as("root")
                        .get("/api/emergencies")
                        .json()
                        .get(0)
                        .get("state")
                        .asString());
    }

    @Test
    @Tag("long")
    void anEmergencyThatNeedsFurtherAcceptancesIsNotAcceptedOnceItIsRejected() {
        first.protect("login");
        first.as("bob")
                .post("/api/approval-settings/" + propose("\"approvals\":2") + "/approve", "{}")
                .expect(200);
        first.as("ann").release(first.open("login", 50), "\"all\"", EMERGENCY).expect(202);
        orderedRace(
                () -> first.as("bob").post("/api/emergencies/1/accept", WHY),
                "accept_emergency",
                () -> other("carol").post("/api/emergencies/1/reject", WHY),
                "reject_emergency");
    }

    @Test
    @Tag("long")
    void aTrialIsPromotedOrEnded() {
        Answer trial = first.machine()
                .release(first.machine().open(first.version(), "login", 5).expect(201), "{\"callers\":\"5%\"}", "")
                .expect(202);
        String path = "/api/rollouts/" + trial.number("id");
        Answer lost = race(
                () -> first.machine().post(path + "/promote", "{\"reason\":\"test\",\"to\":\"all\"}"),
                () -> ApiClient.of(second).post(path + "/abort", WHY));
        assertThat(first.machine().get(path).string("state")).isIn("releasing", "done", "rolled_back");
        assertThat(lost.string("detail")).contains("expected: a trial that goes on");
    }

    @Test
    @Tag("long")
    void anOverrideAndASwitchEndOnce() {
        String in = ",\"in\":\"1h\",\"reason\":\"test\"}";
        long override = first.machine()
                .post(
                        "/api/overrides",
                        "{\"rule\":\"first\",\"limit\":\"first.0\",\"caller\":{\"ip\":\"192.0.2.7\"},\"numbers\":{\"limit\":9}"
                                + in)
                .expect(201)
                .number("id");
        long shadow = first.machine()
                .post("/api/switch", "{\"rule\":\"first\",\"to\":\"shadow\"" + in)
                .expect(201)
                .number("id");
        for (String path : List.of("/api/overrides/" + override, "/api/switch/" + shadow)) {
            Answer lost = race(() -> delete(first.machine(), path), () -> delete(ApiClient.of(second), path));
            assertThat(lost.string("detail")).contains("ended at");
        }
    }

    @Test
    @Tag("long")
    void anAlertRuleHasOneNextRevision() {
        String body = "{\"revision\":0,\"for\":\"9m\",\"reason\":\"test\"}";
        Answer lost = race(() -> first.machine().put("/api/alerts/rules/drift", body), () -> ApiClient.of(second)
                .put("/api/alerts/rules/drift", body.replace('9', '8')));
        assertThat(lost.number("revision")).isEqualTo(1);
        String path = "/api/alerts/rules/drift";
        Answer after = race(
                () -> first.machine().put(path, body.replace("\"revision\":0", "\"revision\":1")),
                () -> ApiClient.of(second).put(path, body.replace("\"revision\":0", "\"revision\":1")));
        assertThat(after.number("revision")).isEqualTo(2);
    }

    @Test
    @Tag("long")
    void aSilenceEndsOnceAndATokenIsRevokedOnce() {
        long silence = first.machine()
                .post("/api/alerts/silences", "{\"kind\":\"drift\",\"in\":\"1h\",\"reason\":\"test\"}")
                .expect(201)
                .number("id");
        List<Answer> answers = both(
                () -> delete(first.machine(), "/api/alerts/silences/" + silence),
                () -> delete(ApiClient.of(second), "/api/alerts/silences/" + silence));
        assertThat(answers.stream().map(Answer::status)).containsExactlyInAnyOrder(200, 404);
        first.tokenOf("ann", Scope.values());
        // To revoke it twice changes nothing, so both are answered, and the log has it once.
        answers = both(() -> delete(first.as("root"), "/api/tokens/1"), () -> delete(other("root"), "/api/tokens/1"));
        assertThat(answers.stream().map(Answer::status)).containsExactly(200, 200);
        assertThat(commands().stream().filter("revoke_token"::equals)).hasSize(1);
    }

    @Test
    @Tag("long")
    void theLastAdministratorStays() {
        first.add("root2", "root2@example.com", Grant.of(Role.ADMINISTRATOR));
        // Both have signed in before, because a change of an account ends its sessions.
        ApiClient root = first.as("root");
        ApiClient other = other("root2");
        Answer lost = race(() -> disable(root, "root2"), () -> disable(other, "root"));
        assertThat(lost.string("detail")).contains("the last administrator");
    }

    private Answer disable(ApiClient by, String name) {
        return by.put("/api/users/" + first.account(name).id(), "{\"disabled\":true,\"reason\":\"test\"}");
    }

    private static Answer delete(ApiClient by, String path) {
        return by.send("DELETE", path, "application/json", WHY);
    }

    /** Returns somebody who has just signed in at the other center. */
    private ApiClient other(String name) {
        return ApiClient.person(second, first.account(name));
    }

    private long propose(String fields) {
        return first.as("root")
                .post("/api/approval-settings", "{" + fields + ",\"reason\":\"test\"}")
                .expect(201)
                .json()
                .at("/proposals/0/id")
                .asLong();
    }

    /** Returns the kinds of the commands that acted, newest first. */
    private List<String> commands() {
        return first.machine().get("/api/commands?limit=200").expect(200).json().findValuesAsString("kind");
    }

    /** Returns the answer of the one who lost. */
    private Answer race(Supplier<Answer> one, Supplier<Answer> two) {
        List<Answer> answers = both(one, two);
        assertThat(answers.stream().filter(answer -> answer.status() < 300))
                .as(answers.toString())
                .hasSize(1);
        return answers.stream()
                .filter(answer -> answer.status() >= 300)
                .findFirst()
                .orElseThrow()
                .expect(409);
    }

    /** The first decision may come before the second one, but not after it. */
    private void orderedRace(Supplier<Answer> early, String earlyKind, Supplier<Answer> last, String lastKind) {
        List<Answer> answers = both(early, last);
        answers.get(1).expect(200);
        List<String> newestFirst = commands();
        if (answers.get(0).status() == 200) {
            assertThat(newestFirst.indexOf(lastKind)).isLessThan(newestFirst.indexOf(earlyKind));
        } else {
            answers.get(0).expect(409);
        }
    }

    /** Lets both read, and then both decide. */
    private List<Answer> both(Supplier<Answer> one, Supplier<Answer> two) {
        try (Connection holder = DriverManager.getConnection(db);
                Statement statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            statement.execute("UPDATE counter SET value = value WHERE name = 'command'");
            Future<Answer> first = people.submit(one::get);
            Await.until("the first has read", SOON, () -> first.isDone() || waiting() >= 1);
            Future<Answer> second = people.submit(two::get);
            Await.until("both have read", SOON, () -> first.isDone() || second.isDone() || waiting() >= 2);
            holder.rollback();
            return List.of(first.get(), second.get());
        } catch (SQLException | java.util.concurrent.ExecutionException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Returns how many transactions wait for a lock. A table of the information schema would not change while it is asked often. */
    private int waiting() {
        try (Connection connection = DriverManager.getConnection(db);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'")) {
            rows.next();
            return rows.getInt(2);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}

package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.access.Scope;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What must never happen to a protected rule. Each path to the nodes asks for the second person again. */
class ApprovalNeverTest {

    @TempDir
    static Path data;

    private static SecondPerson center;

    @BeforeAll
    static void start() throws Exception {
        center = SecondPerson.in(data);
    }

    @AfterAll
    static void stop() {
        center.close();
    }

    @Test
    void nobodyEverApprovesTheirOwnChange() {
        center.add("both", "both@example.com", Grant.of(Role.ADMINISTRATOR));
        Answer change = center.open("both", SecondPerson.rule("own", 5, ""));
        assertThat(center.approve("both", change).expect(403).string("detail")).contains("you opened or edited it");
        refused(change);
        // Everybody who edited it is an author, too.
        Answer other = center.open("own-edited", 5);
        Answer edited = center.as("root")
                .put(
                        "/api/changes/" + other.number("id"),
                        ApiClient.change(center.version(), "{\"put\":" + SecondPerson.rule("own-edited", 50, "") + "}"))
                .expect(200);
        center.approve("root", edited).expect(403);
        center.approve("bob", edited).expect(200);
        center.release(center.as("ann"), edited).expect(202);
    }

    @Test
    void nobodyEverApprovesTheirOwnChangeThroughAToken() {
        center.add("tess", "tess@example.com", Grant.of(Role.ADMINISTRATOR));
        Answer change = center.tokenOf("tess", Scope.APPLY)
                .post(
                        "/api/changes",
                        ApiClient.change(center.version(), "{\"put\":" + SecondPerson.rule("by-token", 5, "") + "}"))
                .expect(201);
        assertThat(change.string("author")).startsWith("token:");
        center.approve("tess", change).expect(403);
        refused(change);
        // And the other way round.
        Answer own = center.open("tess", SecondPerson.rule("by-person", 5, ""));
        approveBy(center.tokenOf("tess", Scope.values()), own).expect(403);
        refused(own);
    }

    @Test
    void nobodyEverApprovesTheirOwnChangeThroughASecondAccount() {
        center.add("sam", "sam@example.com", Grant.of(Role.EDITOR));
        center.add("sam.admin", "Sam@Example.com", Grant.of(Role.ADMINISTRATOR));
        Answer change = center.open("sam", SecondPerson.rule("second-account", 5, ""));
        center.approve("sam.admin", change).expect(403);
        refused(change);
        // Two accounts of one person are one approver.
        assertThat(center.find(change).json().at("/approval/given")).isEmpty();
    }

    @Test
    void anApprovalNeverHoldsIfTheApproverTurnsOutToBeTheAuthor() {
        center.add("una", "una@example.com", Grant.of(Role.APPROVER));
        Answer change = center.open("turns-out", 5);
        center.approve("una", change).expect(200);
        center.change("una", ApprovalNeverTest::withIdentity);
        refused(change);
        assertThat(center.find(change)
                        .json()
                        .at("/approval/given/0/void_because")
                        .asString())
                .contains("authors");
    }

    private static io.sluice.center.people.Account withIdentity(io.sluice.center.people.Account old) {
        return new io.sluice.center.people.Account(
                old.id(),
                old.revision(),
                old.name(),
                old.displayName(),
                "ann@example.com",
                "ann@example.com",
                old.origin(),
                old.subject(),
                old.password(),
                old.grants(),
                old.disabledAt(),
                old.createdAt(),
                old.changedAt());
    }

    @Test
    void aTokenNeverApproves() {
        Answer change = center.open("no-token", 5);
        approveBy(center.tokenOf("bob", Scope.values()), change).expect(403);
        approveBy(center.tokenOf("root", Scope.values()), change).expect(403);
        approveBy(center.machine(), change).expect(403);
        refused(change);
    }

    @Test
    void aTokenNeverReleasesWithoutASecondPerson() {
        Answer change = center.open("token-release", 5);
        for (ApiClient token : List.of(center.machine(), center.tokenOf("root", Scope.APPLY))) {
            Answer refused = center.release(token, change).expect(403);
            assertThat(refused.string("approval")).isEqualTo("required");
            assertThat(token.release(change, "\"all\"", ",\"emergency\":true,\"reason\":\"x\"")
                            .expect(403)
                            .string("detail"))
                    .contains("at most 5 minutes old");
        }
        assertThat(center.find(change).string("state")).isEqualTo("open");
    }

    @Test
    void anEditedChangeIsNeverReleasedWithItsOldApproval() {
        Answer change = center.open("edited", 5);
        center.approve("bob", change).expect(200);
        Answer edited = edit(change, "edited", 500);
        assertThat(edited.json().at("/checks/releasable").asBoolean()).isFalse();
        assertThat(edited.json().at("/approval/given/0/void_because").asString())
                .contains("edited");
        refused(edited);
        // Not even if the old content comes back.
        Answer back = edit(change, "edited", 5);
        assertThat(back.string("digest")).isEqualTo(change.string("digest"));
        refused(back);
        // A replayed approval names content that is no longer there.
        edit(change, "edited", 600);
        center.approve("bob", change).expect(409);
    }

    @Test
    void aMovedBaseIsNeverReleasedWithTheOldApproval() {
        Answer change = center.open("moved", 5);
        center.approve("bob", change).expect(200);
        center.as("ann").release("unrelated", 7);
        refused(center.find(change));
        assertThat(center.find(change)
                        .json()
                        .at("/approval/given/0/void_because")
                        .asString())
                .contains("is in force since");
        center.as("ann")
                .post("/api/changes/" + change.number("id") + "/rebase", "{}")
                .expect(200);
        refused(center.find(change));
        Answer again = center.find(change);
        center.approve("carol", again).expect(200);
        center.release(center.as("ann"), again).expect(202);
    }

    @Test
    void anExpiredApprovalNeverReleases() {
        Answer change = center.open("expired", 5);
        center.approve("bob", change).expect(200);
        center.clock().advance(Duration.ofDays(7));
        refused(change);
        assertThat(center.find(change)
                        .json()
                        .at("/approval/given/0/void_because")
                        .asString())
                .contains("expired");
        // The same person may approve it again.
        center.approve("bob", change).expect(200);
        center.release(center.as("ann"), change).expect(202);
    }

    @Test
    void anApprovalOfSomebodyWhoLostTheRightNeverReleases() {
        center.add("lars", "lars@example.com", Grant.of(Role.APPROVER));
        Answer change = center.open("lost-right", 5);
        center.approve("lars", change).expect(200);
        center.change("lars", account -> account.withGrants(List.of(Grant.of(Role.EDITOR))));
        refused(change);
        center.change("lars", account -> account.withGrants(List.of(Grant.of(Role.APPROVER))));
        assertThat(center.find(change).json().at("/checks/releasable").asBoolean())
                .isTrue();
        center.change("lars", account -> account.disabled(1));
        refused(change);
    }

    @Test
    void anApproverOfAnotherTenantNeverApproves() {
        center.add("tina", "tina@example.com", Grant.of(Role.APPROVER, "acme"));
        Answer own = center.open("ann", SecondPerson.rule("acme-rule", 5, ",\"tenant\":\"acme\""));
        center.approve("tina", own).expect(200);
        center.release(center.as("ann"), own).expect(202);
        Answer stolen = center.open("ann", SecondPerson.rule("acme-rule", 5, ",\"tenant\":\"globex\""));
        assertThat(center.approve("tina", stolen).status()).isIn(403, 404);
        // A rule of her own tenant may weaken the protected rules of all others.
        Answer exempt = center.open(
                "ann", "{\"id\":\"acme-exempt\",\"tenant\":\"acme\",\"action\":\"exempt\",\"resource\":\"/**\"}");
        assertThat(center.approve("tina", exempt).status()).isIn(403, 404);
    }

    @Test
    void aScheduleNeverFiresWithoutAnApprovalThatHoldsThen() {
        Answer change = center.open("scheduled", 5);
        String at = ",\"at\":\"" + center.in(Duration.ofHours(2)) + "\"";
        center.as("ann").release(change, "\"all\"", at).expect(403);
        center.approve("bob", change).expect(200);
        Answer late = center.as("ann")
                .release(change, "\"all\"", ",\"at\":\"" + center.in(Duration.ofDays(8)) + "\"")
                .expect(202);
        center.clock().advance(Duration.ofDays(8));
        assertThat(center.awaitRollout(late, "failed").string("problem")).contains("expired");

        Answer edited = center.open("scheduled-edited", 5);
        center.approve("bob", edited).expect(200);
        Answer waits = center.as("ann")
                .release(edited, "\"all\"", ",\"at\":\"" + center.in(Duration.ofHours(2)) + "\"")
                .expect(202);
        edit(edited, "scheduled-edited", 500);
        center.clock().advance(Duration.ofHours(2));
        center.awaitRollout(waits, "failed");
        assertThat(center.as("root").get("/api/rules/scheduled-edited").status())
                .isEqualTo(404);
    }

    @Test
    void aScheduleNeverFiresForSomebodyWhoLostTheRight() {
        center.add("emil", "emil@example.com", Grant.of(Role.EDITOR));
        center.add("emma", "emma@example.com", Grant.of(Role.EDITOR));
        Answer first = schedule("emil", "fired-for");
        Answer second = schedule("emma", "fired-too");
        center.change("emil", account -> account.disabled(1));
        center.change("emma", account -> account.withGrants(List.of(Grant.of(Role.VIEWER))));
        center.clock().advance(Duration.ofHours(1));
        assertThat(center.awaitRollout(first, "failed").string("problem")).contains("user:emil is disabled");
        assertThat(center.awaitRollout(second, "failed").string("problem")).contains("may no longer release");
    }

    @Test
    void aScheduleNeverFiresForSomebodyWhoMayOnlyReleaseRulesOfOneTenantSince() {
        center.add("erin", "erin@example.com", Grant.of(Role.EDITOR));
        Answer change = center.open(
                "erin",
                "{\"id\":\"cut\",\"tenant\":\"acme\",\"resource\":\"/**\","
                        + "\"limits\":[{\"by\":\"ip\",\"limit\":5,\"window\":\"1m\"}]}");
        Answer waits = center.as("erin")
                .release(change, "\"all\"", ",\"at\":\"" + center.in(Duration.ofHours(1)) + "\"")
                .expect(202);
        center.change("erin", account -> account.withGrants(List.of(Grant.of(Role.EDITOR, "acme"))));
        center.clock().advance(Duration.ofHours(1));
        assertThat(center.awaitRollout(waits, "failed").string("problem")).contains("may no longer release");
        center.as("root").get("/api/rules/cut").expect(404);
    }

    private static Answer schedule(String who, String rule) {
        Answer change = center.as(who).open(center.version(), rule, 5).expect(201);
        return center.as(who)
                .release(change, "\"all\"", ",\"at\":\"" + center.in(Duration.ofHours(1)) + "\"")
                .expect(202);
    }

    @Test
    void aTrialIsNeverPromotedWithoutAnApprovalThatHoldsThen() {
        center.protect("tried");
        Answer change = center.open("tried", 50);
        center.as("ann").release(change, "{\"callers\":[\"1%\",\"50%\"]}", "").expect(403);
        center.approve("bob", change).expect(200);
        Answer trial = center.as("ann")
                .release(change, "{\"callers\":[\"1%\",\"50%\"]}", "")
                .expect(202);
        center.clock().advance(Duration.ofDays(7));
        String promote = "/api/rollouts/" + trial.number("id") + "/promote";
        center.as("ann").post(promote, "{\"reason\":\"x\"}").expect(403);
        center.as("ann").post(promote, "{\"reason\":\"x\",\"to\":\"all\"}").expect(403);
        assertThat(center.rollout(trial).json().at("/trial/share").asInt()).isEqualTo(1);
        center.approve("carol", change).expect(200);
        center.as("ann").post(promote, "{\"reason\":\"x\"}").expect(202);
        center.as("ann").post(promote, "{\"reason\":\"x\",\"to\":\"all\"}").expect(202);
        // To end a trial needs nobody.
        Answer other = center.open("tried", 60);
        center.approve("bob", other).expect(200);
        Answer ended = center.as("ann").release(other, "\"candidate\"", "").expect(202);
        center.as("olga")
                .post("/api/rollouts/" + ended.number("id") + "/abort", "{\"reason\":\"x\"}")
                .expect(202);
    }

    @Test
    void aCandidateIsNeverPromotedWithoutAnApprovalThatHoldsThen() {
        center.protect("candidate");
        Answer change = center.open("candidate", 50);
        center.as("ann").release(change, "\"candidate\"", "").expect(403);
        center.approve("bob", change).expect(200);
        Answer trial = center.as("ann").release(change, "\"candidate\"", "").expect(202);
        center.clock().advance(Duration.ofDays(7));
        String promote = "/api/rollouts/" + trial.number("id") + "/promote";
        center.as("ann").post(promote, "{\"reason\":\"x\"}").expect(403);
        center.approve("bob", change).expect(200);
        center.as("ann").post(promote, "{\"reason\":\"x\"}").expect(202);
    }

    @Test
    void aRollbackNeverChangesProtectedRulesWithoutASecondPerson() {
        center.protect("rolled");
        long before = center.version();
        center.releaseApproved(center.open("rolled", 50));
        String body = "{\"to\":" + before + ",\"reason\":\"x\"}";
        Answer refused = center.as("olga").post("/api/rollback", body).expect(403);
        assertThat(refused.string("detail")).contains("content_of").contains("rolled");
        center.machine().post("/api/rollback", body).expect(403);
        long old = center.version();
        // It can be approved as a change.
        Answer change = center.as("ann")
                .post(
                        "/api/changes",
                        "{\"title\":\"back\",\"reason\":\"x\",\"base\":" + old + ",\"content_of\":" + before + "}")
                .expect(201);
        refused(change);
        center.releaseApproved(change);
        // A rollback that leaves protected rules alone needs nobody.
        center.as("ann").release("free", 7);
        center.as("olga")
                .post("/api/rollback", "{\"to\":" + (center.version() - 1) + ",\"reason\":\"x\"}")
                .expect(202);
    }

    /** Attack A33: each of these is as good as deleting the rule. */
    @Test
    void aProtectedRuleIsNeverWeakenedWithoutWhatDeletingNeeds() {
        center.protect("target");
        String limits = "\"limits\":[{\"by\":\"ip\",\"limit\":5,\"window\":\"1m\"}]";
        for (String edit : List.of(
                "{\"remove\":\"target\"}",
                "{\"put\":" + SecondPerson.rule("target", 5, ",\"enabled\":false") + "}",
                "{\"put\":" + SecondPerson.rule("target", 5, ",\"shadow\":true") + "}",
                "{\"put\":" + SecondPerson.rule("target", 1_000_000_000, "") + "}",
                "{\"put\":" + SecondPerson.rule("target", 5, ",\"mode\":\"local\"") + "}",
                "{\"put\":" + SecondPerson.rule("target", 5, ",\"on_failure\":\"open\"") + "}",
                "{\"put\":" + SecondPerson.rule("target", 5, ",\"match\":{\"user\":\"nobody\"}") + "}",
                "{\"put\":{\"id\":\"target\",\"resource\":\"/target\"," + limits + "}}",
                "{\"put\":{\"id\":\"exempt\",\"resource\":\"/**\",\"action\":\"exempt\"}}")) {
            Answer change = center.as("ann")
                    .post("/api/changes", ApiClient.change(center.version(), edit))
                    .expect(201);
            assertThat(change.json().at("/approval/required").asBoolean())
                    .as(edit)
                    .isTrue();
            refused(change);
        }
        String soon = ",\"in\":\"1h\",\"reason\":\"x\"";
        for (String rule : List.of("target", "*")) {
            center.as("olga")
                    .post("/api/switch", "{\"rule\":\"" + rule + "\",\"to\":\"shadow\"" + soon + "}")
                    .expect(403);
            center.machine()
                    .post("/api/switch", "{\"rule\":\"" + rule + "\",\"to\":\"shadow\"" + soon + "}")
                    .expect(403);
        }
        String override = "{\"rule\":\"target\",\"limit\":\"target.0\",\"caller\":{\"ip\":\"192.0.2.7\"},\"numbers\":";
        center.as("olga")
                .post("/api/overrides", override + "{\"limit\":11}" + soon + "}")
                .expect(403);
        center.as("olga")
                .post("/api/overrides", override + "{\"limit\":10}" + soon + "}")
                .expect(201);
        center.as("olga")
                .post("/api/overrides", override + "{\"limit\":1}" + soon + "}")
                .expect(201);
        center.as("olga")
                .post("/api/switch", "{\"rule\":\"first\",\"to\":\"shadow\"" + soon + "}")
                .expect(201);
    }

    /** The change is releasable for nobody. */
    private static void refused(Answer change) {
        Answer now = center.find(change);
        assertThat(now.json().at("/checks/releasable").asBoolean()).isFalse();
        for (String who : List.of("ann", "root")) {
            Answer refused = center.release(center.as(who), now).expect(403);
            assertThat(refused.string("approval")).isEqualTo("required");
            assertThat(refused.get("rules")).isNotEmpty();
        }
        center.release(center.machine(), now).expect(403);
    }

    private static Answer approveBy(ApiClient api, Answer change) {
        return api.post(
                "/api/changes/" + change.number("id") + "/approve", "{\"digest\":\"" + change.string("digest") + "\"}");
    }

    private static Answer edit(Answer change, String rule, int limit) {
        return center.as("ann")
                .put(
                        "/api/changes/" + change.number("id"),
                        ApiClient.change(center.version(), "{\"put\":" + SecondPerson.rule(rule, limit, "") + "}"))
                .expect(200);
    }
}

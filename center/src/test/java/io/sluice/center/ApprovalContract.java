package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Approving a change and releasing it, whatever the database. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ApprovalContract {

    private SecondPerson center;

    abstract SecondPerson open(Path data) throws CenterStartException;

    @BeforeAll
    void start(@TempDir Path data) throws Exception {
        center = open(data);
    }

    @AfterAll
    void stop() {
        center.close();
    }

    @Test
    void aSecondPersonApprovesWhatIsReleased() throws Exception {
        Answer change = center.open("login", 5);
        JsonNode approval = change.get("approval");
        assertThat(approval.get("required").asBoolean()).isTrue();
        assertThat(approval.get("needed").asInt()).isEqualTo(1);
        assertThat(approval.get("why").toString()).contains("login: added");
        assertThat(approval.get("given")).isEmpty();
        assertThat(change.json().at("/checks/releasable").asBoolean()).isFalse();
        String path = "\"/api/changes/" + change.number("id") + "\"";
        assertThat(center.as("bob").get("/api/notices").text()).contains(path);
        Answer refused = center.release(center.as("ann"), change).expect(403);
        assertThat(refused.get("rules").toString()).isEqualTo("[\"login\"]");
        assertThat(refused.string("detail")).contains("/approve");

        // Editors and operators do not approve, and nobody approves another digest.
        center.approve("olga", change).expect(403);
        center.as("bob")
                .post("/api/changes/" + change.number("id") + "/approve", "{\"digest\":\"" + "0".repeat(64) + "\"}")
                .expect(409);
        Answer approved = center.approve("bob", change).expect(200);
        assertThat(approved.json().at("/approval/given/0/by").asString()).isEqualTo("user:bob");
        assertThat(approved.json().at("/approval/given/0/comment").asString()).isEqualTo("looks good");
        assertThat(approved.json().at("/approval/given/0/holds").asBoolean()).isTrue();
        assertThat(approved.json().at("/checks/releasable").asBoolean()).isTrue();
        assertThat(center.as("carol").get("/api/notices").text()).doesNotContain(path);
        // To approve again changes nothing.
        center.approve("bob", change).expect(200);
        assertThat(center.find(change).json().at("/approval/given")).hasSize(1);
        center.restart();
        center.release(center.as("ann"), change).expect(202);
        center.approve("bob", change).expect(409);
        assertThat(center.as("root").get("/api/commands").text()).contains("approve_change");

        Answer free = center.as("ann").open(center.version(), "free", 5).expect(201);
        assertThat(free.json().at("/approval/required").asBoolean()).isFalse();
        center.approve("bob", free).expect(409);
        center.release(center.as("ann"), free).expect(202);
    }

    @Test
    void twoApprovalsAtOnceAreOneForEachPerson() throws Exception {
        center.add("bob2", "bob@example.com", Grant.of(Role.APPROVER));
        Answer change = center.open("at-once", 5);
        List<Callable<Answer>> calls = new ArrayList<>();
        for (String who : List.of("bob", "bob2", "carol", "bob", "bob2", "carol")) {
            ApiClient api = center.as(who);
            calls.add(() -> api.post(
                    "/api/changes/" + change.number("id") + "/approve",
                    "{\"digest\":\"" + change.string("digest") + "\"}"));
        }
        atOnce(calls).forEach(answer -> answer.expect(200));
        assertThat(center.find(change).json().at("/approval/given")).hasSize(2);
    }

    @Test
    void anApprovalAndAnEditAtOnceNeverReleaseTheEdit() throws Exception {
        for (int i = 1; i <= 3; i++) {
            Answer change = center.open("raced", 5 + i);
            ApiClient ann = center.as("ann");
            ApiClient bob = center.as("bob");
            ApiClient root = center.as("root");
            String path = "/api/changes/" + change.number("id");
            String digest = "{\"digest\":\"" + change.string("digest") + "\"}";
            String edited =
                    ApiClient.change(center.version(), "{\"put\":" + SecondPerson.rule("raced", 1_000_000, "") + "}");
            atOnce(List.of(
                    () -> bob.post(path + "/approve", digest),
                    () -> ann.put(path, edited),
                    () -> root.post(path + "/release", digest)));
            Answer now = center.find(change);
            if (now.string("state").equals("open")) {
                center.release(center.as("ann"), now).expect(403);
                center.as("ann").post(path + "/withdraw", "{\"reason\":\"x\"}").expect(200);
            } else {
                assertThat(center.as("root").get("/api/rules").text()).doesNotContain("1000000");
            }
        }
    }

    @Test
    void oneApprovalNeverReleasesTwoChanges() throws Exception {
        long before = center.version();
        Answer first = center.open("twice", 5);
        Answer second = center.open("twice", 5);
        center.approve("bob", first).expect(200);
        assertThat(first.string("digest")).isEqualTo(second.string("digest"));
        ApiClient ann = center.as("ann");
        ApiClient root = center.as("root");
        List<Integer> statuses = atOnce(List.of(
                        () -> center.release(ann, second),
                        () -> center.release(root, first),
                        () -> center.release(ann, first)))
                .stream()
                .map(Answer::status)
                .sorted()
                .toList();
        assertThat(statuses).filteredOn(status -> status == 202).hasSize(1);
        assertThat(center.version()).isEqualTo(before + 1);
        assertThat(center.find(second).string("state")).isEqualTo("open");
    }

    private static List<Answer> atOnce(List<Callable<Answer>> calls) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(calls.size());
        try {
            CyclicBarrier start = new CyclicBarrier(calls.size());
            List<Future<Answer>> answers = new ArrayList<>();
            for (Callable<Answer> call : calls) {
                answers.add(threads.submit(() -> {
                    start.await();
                    return call.call();
                }));
            }
            List<Answer> done = new ArrayList<>();
            for (Future<Answer> answer : answers) {
                done.add(answer.get());
            }
            return done;
        } finally {
            threads.shutdownNow();
        }
    }
}

package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.testkit.SeededRandom;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Very many changes of one tenant. They must neither hide those of another one nor delay everybody. */
class ManyChangesTest {

    private static final int MANY = SeededRandom.scaled(4_000, 100_000);
    private static final Pattern REST = Pattern.compile("<(.*)>; rel=\"next\"");

    @TempDir
    Path data;

    private Center center;
    private ApiClient api;

    @BeforeEach
    void open() throws Exception {
        center = Center.open(PreparedCenter.in(data));
        api = ApiClient.of(center);
        api.release("login", 1);
    }

    @AfterEach
    void close() {
        center.close();
    }

    @Test
    void aPageIsSearchedAmongABoundedNumberOfChangesOfOthers() {
        long own = api.post("/api/changes", change("acme")).expect(201).number("id");
        multiply(center, api.post("/api/changes", change("globex")).expect(201), MANY, "withdrawn");
        ApiClient acme = ApiClient.person(center, "acme", Grant.of(Role.VIEWER, "acme"));

        String next = "/api/changes?limit=1";
        int pages = 0;
        while (true) {
            Answer page = acme.get(next).expect(200);
            pages++;
            if (!page.json().isEmpty()) {
                assertThat(page.json().get(0).get("id").asLong()).isEqualTo(own);
                break;
            }
            Matcher rest = REST.matcher(page.link());
            assertThat(rest.find()).as("after %s pages", pages).isTrue();
            next = rest.group(1);
            assertThat(next).startsWith("/api/changes?limit=1&below=");
        }
        assertThat(pages).isEqualTo(MANY / 2_000 + 1);
        // Whoever sees everything has all of them.
        JsonNode all = api.get("/api/changes?limit=200").expect(200).json();
        assertThat(all).hasSize(200);
        api.release("login", 2);
        assertThat(api.get("/api/changes?state=released").expect(200).json()).hasSize(2);
    }

    @Test
    void nobodyHasMoreThanAThousandOpenChanges() {
        multiply(center, api.post("/api/changes", change("globex")).expect(201), 998, "open");
        api.post("/api/changes", change("globex")).expect(201);
        Answer refused = api.post("/api/changes", change("globex")).expect(409);
        assertThat(refused.string("detail")).contains("has 1000 open ones (expected: fewer");
        ApiClient editor = ApiClient.person(center, "editor", Grant.of(Role.EDITOR));
        editor.post("/api/changes", change("globex")).expect(201);
    }

    @Test
    void anApproverIsToldOfAChangeBelowManyOthers(@TempDir Path other) throws Exception {
        try (SecondPerson people = SecondPerson.in(other)) {
            long waiting = people.open("login", 5).number("id");
            multiply(people.center(), people.as("ann").open(people.version(), "free", 5), 300, "open");
            assertThat(people.as("bob").get("/api/notices").expect(200).text())
                    .contains("\"/api/changes/" + waiting + "\"");
        }
    }

    private static String change(String tenant) {
        return ApiClient.change(
                1,
                "{\"put\":{\"id\":\"" + tenant + "\",\"tenant\":\"" + tenant + "\",\"match\":{\"tenant\":\"" + tenant
                        + "\"},\"limits\":[{\"by\":\"user\",\"limit\":5,\"window\":\"1m\"}]}}");
    }

    /** Stores copies of a change. */
    private static void multiply(Center center, Answer change, int copies, String state) {
        long id = change.number("id");
        String columns = "revision, title, reason, author, base, edits, opened_at, changed_at, version";
        int stored = center.people().database().write(client -> {
            client.sql("UPDATE counter SET value = value + ? WHERE name = 'change'")
                    .param(copies)
                    .update();
            return client.sql("INSERT INTO rule_change (id, state, " + columns
                            + ") WITH RECURSIVE copy(number) AS (SELECT "
                            + (id + 1) + " UNION ALL SELECT number + 1 FROM copy WHERE number < " + (id + copies)
                            + ") SELECT number, '" + state + "', " + columns
                            + " FROM copy, rule_change WHERE rule_change.id = " + id)
                    .update();
        });
        assertThat(stored).isEqualTo(copies);
    }
}

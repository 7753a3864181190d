package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.ApiClient.Answer;
import io.sluice.center.access.AccessTable;
import io.sluice.testkit.SeededRandom;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * All endpoints × all callers × the objects of two tenants: the status of each answer, and that no answer to somebody of one tenant
 * holds anything of the other. What is expected is written down here by hand; an endpoint that is missing here fails the test.
 */
class AccessMatrixTest {

    /**
     * A column stands for callers that must get the same answers. {@code acme…} are bound to that tenant, {@code label} to a label
     * of its rule.
     */
    private static final List<String> COLUMNS = List.of(
            "none",
            "node",
            "admin",
            "machine",
            "tenant",
            "editor",
            "approver",
            "operator",
            "viewer",
            "acmeEditor",
            "acmeApprover",
            "acmeOperator",
            "acmeViewer",
            "label",
            "read",
            "apply",
            "operate",
            "acmeRead",
            "acmeApply",
            "acmeOperate");

    /** Those who must not learn anything about the other tenant. */
    private static final Set<String> BOUND = Set.of(
            "tenant",
            "acmeEditor",
            "acmeApprover",
            "acmeOperator",
            "acmeViewer",
            "label",
            "acmeRead",
            "acmeApply",
            "acmeOperate");

    /**
     * {@code +} allowed for the objects of both tenants; {@code a} allowed for acme, and 404 for the other; {@code f} allowed for
     * acme, and 403 for the other; {@code -} 403; {@code 0} 404; {@code !} 401; {@code h} leads to the sign-in. The number is the
     * status of an allowed request, which may be wrong in another way, so that it changes nothing.
     */
    // spotless:off
    private static final String EXPECTED =
            //                                        no nd ad ma  tn ed ap op vi  ae aa ao av lb  rd ap op  ar aa ao
            """
            200 GET /api/rules                        !  -  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /api/rules/schema                 !  -  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /api/rules/{id}                   !  -  +  +   a  +  +  +  +   a  a  a  a  a   +  +  +   a  a  a
            200 GET /api/rules/{id}/history           !  -  +  +   a  +  +  +  +   a  a  a  a  a   +  +  +   a  a  a
            200 GET /api/versions                     !  -  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /api/versions/{number}            !  -  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /api/versions/{number}/diff       !  -  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /api/changes                      !  -  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /api/changes/{id}                 !  -  +  +   a  +  +  +  +   a  a  a  a  a   +  +  +   a  a  a
            201 POST /api/changes                     !  -  +  +   f  +  -  -  -   f  -  -  -  f   -  +  -   -  f  -
            200 POST /api/changes/check               !  -  +  +   +  +  -  -  -   +  -  -  -  +   -  +  -   -  +  -
            200 POST /api/changes/dry-run             !  -  +  +   f  +  -  -  -   f  -  -  -  f   -  +  -   -  f  -
            409 PUT /api/changes/{id}                 !  -  +  +   a  +  -  -  -   a  -  -  -  a   -  +  -   -  a  -
            409 POST /api/changes/{id}/rebase         !  -  +  +   a  +  -  -  -   a  -  -  -  a   -  +  -   -  a  -
            200 POST /api/changes/{id}/withdraw       !  -  +  +   a  +  -  -  -   a  -  -  -  a   -  +  -   -  a  -
            200 POST /api/changes/{id}/reject         !  -  +  +   a  -  +  -  -   -  a  -  -  -   -  -  -   -  -  -
            409 POST /api/changes/{id}/release        !  -  +  +   a  +  -  -  -   a  -  -  -  a   -  +  -   -  a  -
            200 GET /api/changes/own                  !  -  +  +   +  +  -  -  -   +  -  -  -  +   -  +  -   -  +  -
            409 POST /api/changes/{id}/approve        !  -  +  -   a  -  +  -  -   -  a  -  -  -   -  -  -   -  -  -
            200 GET /api/approval-settings            !  -  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            400 POST /api/approval-settings           !  -  +  +   -  -  -  -  -   -  -  -  -  -   -  -  -   -  -  -
            400 POST /api/approval-settings/{id}/approve ! - +  -   -  -  +  -  -   -  -  -  -  -   -  -  -   -  -  -
            400 POST /api/approval-settings/{id}/reject !  -  +  +  -  -  +  -  -   -  -  -  -  -   -  -  -   -  -  -
            200 GET /api/emergencies                  !  -  +  +   -  +  +  +  +   -  -  -  -  -   +  +  +   -  -  -
            409 POST /api/emergencies/{id}/accept     !  -  +  -   a  -  +  -  -   -  a  -  -  -   -  -  -   -  -  -
            409 POST /api/emergencies/{id}/reject     !  -  +  -   a  -  +  -  -   -  a  -  -  -   -  -  -   -  -  -
            200 GET /api/notices                      !  -  +  -   +  +  +  +  +   +  +  +  +  +   -  -  -   -  -  -
            200 GET /api/retention                    !  -  +  -   +  +  +  +  +   +  +  +  +  +   -  -  -   -  -  -
            200 GET /api/rollouts                     !  -  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /api/rollouts/{id}                !  -  +  +   a  +  +  +  +   a  a  a  a  a   +  +  +   a  a  a
            409 POST /api/rollouts/{id}/promote       !  -  +  +   a  +  -  -  -   a  -  -  -  a   -  +  -   -  a  -
            409 POST /api/rollouts/{id}/abort         !  -  +  +   a  -  -  +  -   -  -  a  -  -   -  -  +   -  -  a
            409 POST /api/rollouts/{id}/verdict       !  -  +  +   a  +  -  -  -   a  -  -  -  a   -  +  -   -  a  -
            409 POST /api/rollback                    !  -  +  +   -  -  -  +  -   -  -  -  -  -   -  -  +   -  -  -
            200 GET /api/overrides                    !  -  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            400 POST /api/overrides                   !  -  +  +   f  -  -  +  -   -  -  f  -  -   -  -  +   -  -  f
            400 DELETE /api/overrides/{id}            !  -  +  +   a  -  -  +  -   -  -  a  -  -   -  -  +   -  -  a
            200 GET /api/switch                       !  -  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            400 POST /api/switch                      !  -  +  +   f  -  -  +  -   -  -  f  -  -   -  -  +   -  -  f
            400 DELETE /api/switch/{id}               !  -  +  +   a  -  -  +  -   -  -  a  -  -   -  -  +   -  -  a
            200 GET /api/series                       !  -  +  +   a  +  +  +  +   a  a  a  a  a   +  +  +   a  a  a
            200 GET /health                           +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /api/openapi.json                 +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /api/status                       !  -  +  +   -  +  +  +  +   -  -  -  -  -   +  +  +   -  -  -
            400 POST /api/mirror/repair               !  -  +  +   -  -  -  -  -   -  -  -  -  -   -  -  -   -  -  -
            200 GET /api/commands                     !  -  +  +   -  -  +  +  -   -  -  -  -  -   +  -  -   -  -  -
            200 GET /api/audit                        !  -  +  +   -  -  +  +  -   -  -  -  -  -   +  -  -   -  -  -
            200 POST /api/audit/verify                !  -  +  +   -  -  +  +  -   -  -  -  -  -   +  -  -   -  -  -
            200 GET /api/audit/export                 !  -  +  +   -  -  +  +  -   -  -  -  -  -   +  -  -   -  -  -
            200 GET /api/audit/sinks                  !  -  +  +   -  +  +  +  +   -  -  -  -  -   +  +  +   -  -  -
            200 GET /api/alerts                       !  -  +  +   -  +  +  +  +   -  -  -  -  -   +  +  +   -  -  -
            200 GET /api/alerts/destinations          !  -  +  +   -  +  +  +  +   -  -  -  -  -   +  +  +   -  -  -
            200 GET /api/alerts/rules                 !  -  +  +   -  +  +  +  +   -  -  -  -  -   +  +  +   -  -  -
            400 PUT /api/alerts/rules/{id}            !  -  +  +   -  -  -  -  -   -  -  -  -  -   -  -  -   -  -  -
            400 DELETE /api/alerts/rules/{id}         !  -  +  +   -  -  -  -  -   -  -  -  -  -   -  -  -   -  -  -
            200 GET /api/alerts/silences              !  -  +  +   -  +  +  +  +   -  -  -  -  -   +  +  +   -  -  -
            400 POST /api/alerts/silences             !  -  +  +   -  -  -  +  -   -  -  -  -  -   -  -  +   -  -  -
            400 DELETE /api/alerts/silences/{id}      !  -  +  +   -  -  -  +  -   -  -  -  -  -   -  -  +   -  -  -
            200 GET /api/erasures                     !  -  +  +   -  -  -  -  -   -  -  -  -  -   -  -  -   -  -  -
            404 GET /api/erasures/{id}                !  -  +  +   -  -  -  -  -   -  -  -  -  -   -  -  -   -  -  -
            400 POST /api/erasures                    !  -  +  -   -  -  -  -  -   -  -  -  -  -   -  -  -   -  -  -
            200 GET /api/top                          !  -  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            404 GET /api/callers/{hash}               !  -  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 POST /api/explain                     !  -  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            404 POST /api/callers/{hash}/reveal       !  -  +  -   -  -  -  +  -   -  -  -  -  -   -  -  -   -  -  -
            200 GET /api/nodes                        !  -  +  +   -  +  +  +  +   -  -  -  -  -   +  +  +   -  -  -
            200 GET /api/nodes/{id}                   !  -  +  +   -  +  +  +  +   -  -  -  -  -   +  +  +   -  -  -
            400 POST /api/nodes/{id}/heartbeat        !  +  +  +   -  -  -  -  -   -  -  -  -  -   -  -  -   -  -  -
            404 POST /api/nodes/{id}/excerpts/{question} ! + + +   -  -  -  -  -   -  -  -  -  -   -  -  -   -  -  -
            200 GET /api/nodes/rules                  !  +  +  +   -  -  -  -  -   -  -  -  -  -   -  -  -   -  -  -
            200 GET /api/durable/sums                 !  +  +  +   -  -  -  -  -   -  -  -  -  -   -  -  -   -  -  -
            200 POST /api/durable/sums                !  +  +  +   -  -  -  -  -   -  -  -  -  -   -  -  -   -  -  -
            200 POST /api/durable/restores/{store}    !  +  +  +   -  -  -  -  -   -  -  -  -  -   -  -  -   -  -  -
            200 POST /api/durable/erasures            !  +  +  +   -  -  -  -  -   -  -  -  -  -   -  -  -   -  -  -
            200 GET /api/decisions                    !  -  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /api/stream                       !  -  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /api/session                      +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            400 POST /api/session                     +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 DELETE /api/session                   !  -  +  -   +  +  +  +  +   +  +  +  +  +   -  -  -   -  -  -
            400 POST /api/session/factor              !  -  +  -   +  +  +  +  +   +  +  +  +  +   -  -  -   -  -  -
            400 POST /api/set-up/look                 +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            400 POST /api/set-up                      +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /api/me                           !  -  +  -   +  +  +  +  +   +  +  +  +  +   -  -  -   -  -  -
            400 PUT /api/me/password                  !  -  +  -   +  +  +  +  +   +  +  +  +  +   -  -  -   -  -  -
            200 GET /api/users                        !  -  +  +   +  -  -  -  -   -  -  -  -  -   -  -  -   -  -  -
            409 POST /api/users                       !  -  +  +   f  -  -  -  -   -  -  -  -  -   -  -  -   -  -  -
            200 GET /api/users/{id}                   !  -  +  +   a  -  -  -  -   -  -  -  -  -   -  -  -   -  -  -
            409 PUT /api/users/{id}                   !  -  +  +   a  -  -  -  -   -  -  -  -  -   -  -  -   -  -  -
            201 POST /api/users/{id}/link             !  -  +  +   a  -  -  -  -   -  -  -  -  -   -  -  -   -  -  -
            200 DELETE /api/users/{id}                !  -  +  +   a  -  -  -  -   -  -  -  -  -   -  -  -   -  -  -
            200 GET /api/tokens                       !  -  +  -   +  +  +  +  +   +  +  +  +  +   -  -  -   -  -  -
            400 POST /api/tokens                      !  -  +  -   +  +  +  +  +   +  +  +  +  +   -  -  -   -  -  -
            200 DELETE /api/tokens/{id}               !  -  +  -   a  0  0  0  0   0  0  0  0  0   -  -  -   -  -  -
            200 GET /api/me/passkeys                  !  -  +  -   +  +  +  +  +   +  +  +  +  +   -  -  -   -  -  -
            200 POST /api/me/passkeys/options         !  -  +  -   +  +  +  +  +   +  +  +  +  +   -  -  -   -  -  -
            400 POST /api/me/passkeys                 !  -  +  -   +  +  +  +  +   +  +  +  +  +   -  -  -   -  -  -
            404 DELETE /api/me/passkeys/{id}          !  -  +  -   +  +  +  +  +   +  +  +  +  +   -  -  -   -  -  -
            200 POST /api/session/passkey/options     +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            400 POST /api/session/passkey             +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /                                 h  h  +  h   +  +  +  +  +   +  +  +  +  +   h  h  h   h  h  h
            200 GET /set-up                           +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /sign-in                          +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /step-up                          +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /account                          +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /retention                        +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /traffic                          +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /callers/{id}                     +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /rules                            +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /rules/{id}                       +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /editor                           +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /changes                          +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /changes/{id}                     +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /releases                         +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /releases/{id}                    +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /nodes                            +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /shadow                           +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /explain                          +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /decisions                        +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /alerts                           +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /audit                            +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /people                           +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /tokens                           +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /approvals                        +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /design                           +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /favicon.ico                      +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /assets/{file}                    +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            200 GET /assets/{folder}/{file}           +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            303 GET /sign-in/oidc/{name}              +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            303 GET /sign-in/oidc/{name}/callback     +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            400 POST /sign-in/oidc/{name}/logout      +  +  +  +   +  +  +  +  +   +  +  +  +  +   +  +  +   +  +  +
            """;
    // spotless:on

    @TempDir
    static Path data;

    private static Center center;
    private static TwoTenants tenants;
    private static Callers callers;

    /** A row of what is expected. */
    private record Row(int status, String endpoint, List<String> cells) {

        static Row of(String line) {
            String[] words = line.strip().split("\\s+", -1);
            return new Row(
                    Integer.parseInt(words[0]),
                    words[1] + " " + words[2],
                    List.of(Arrays.copyOfRange(words, 3, words.length)));
        }

        int expected(String column, boolean isAcme) {
            String cell = cells.get(COLUMNS.indexOf(column));
            return switch (cell) {
                case "+" -> status;
                case "a" -> isAcme ? status : 404;
                case "f" -> isAcme ? status : 403;
                case "-" -> 403;
                case "0" -> 404;
                case "!" -> 401;
                case "h" -> 302;
                default -> throw new IllegalArgumentException(endpoint + ": " + cell);
            };
        }
    }

    @BeforeAll
    static void start() throws Exception {
        center = StagedCenter.open(PreparedCenter.in(data));
        tenants = TwoTenants.in(center);
        callers = Callers.of(center);
        assertThat(callers.columns()).containsExactlyInAnyOrderElementsOf(COLUMNS);
    }

    @AfterAll
    static void stop() {
        center.close();
    }

    private static List<Row> rows() {
        return EXPECTED.lines().map(Row::of).toList();
    }

    @Test
    void everyEndpointIsWrittenDown() {
        Set<String> table = AccessTable.endpoints().stream()
                .map(endpoint -> endpoint.method() + " " + endpoint.path())
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> written = rows().stream().map(Row::endpoint).collect(Collectors.toCollection(TreeSet::new));
        assertThat(written).isEqualTo(table);
        rows().forEach(row -> assertThat(row.cells()).as(row.endpoint()).hasSize(COLUMNS.size()));
    }

    @Test
    void everyCallerGetsTheStatusThatIsWrittenDown() {
        List<String> wrong = new ArrayList<>();
        List<String> columns = new ArrayList<>(COLUMNS);
        for (Row row : rows()) {
            Collections.rotate(columns, 1);
            for (String column : asked(row, columns)) {
                for (boolean isAcme : whose(row, column)) {
                    // People sign in anew, because a session is fresh for some minutes only, and one of the requests
                    // signs out.
                    for (ApiClient caller : callers.again(column)) {
                        TwoTenants.Request request = tenants.request(row.endpoint(), isAcme);
                        TwoTenants.Reply reply = tenants.send(caller, request);
                        if (reply.status() != row.expected(column, isAcme)) {
                            wrong.add(column + (isAcme ? ", acme's: " : ", the other's: ") + row.endpoint() + ": "
                                    + reply.status() + ", expected " + row.expected(column, isAcme) + ": "
                                    + reply.body());
                        }
                        if (BOUND.contains(column) || column.equals("none")) {
                            tenants.leaked(request, reply)
                                    .ifPresent(word -> wrong.add(column + ": " + request + " tells " + word + ": "
                                            + reply.headers() + reply.body()));
                        }
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    /** In the short form, two of the callers with the same cell ask, and other ones at the next endpoint. */
    private static List<String> asked(Row row, List<String> columns) {
        return columns.stream()
                .collect(Collectors.groupingBy(
                        column -> row.cells().get(COLUMNS.indexOf(column)) + BOUND.contains(column)))
                .values()
                .stream()
                .flatMap(alike -> SeededRandom.sample(alike, 2).stream())
                .toList();
    }

    /**
     * Some requests are not about anything of a tenant. They are sent once. In the short form, callers who are not bound to a tenant ask for
     * the objects of one.
     */
    private static List<Boolean> whose(Row row, String column) {
        boolean isSame = tenants.request(row.endpoint(), true).equals(tenants.request(row.endpoint(), false));
        List<Boolean> both = List.of(false, true);
        return isSame ? List.of(true) : BOUND.contains(column) ? both : SeededRandom.sample(both, 1);
    }

    /** Otherwise the test above would find nothing, whatever leaks. */
    @Test
    void theMarksAreThere() {
        StringBuilder all = new StringBuilder();
        ApiClient admin = callers.get("admin").get(0);
        for (String path : tenants.readings()) {
            all.append(tenants.send(admin, TwoTenants.Request.get(path)).body());
        }
        for (String mark : tenants.shownMarks()) {
            assertThat(all.toString()).contains(mark);
        }
    }

    @Test
    void aTenantAdministratorNeverReadsAnotherTenant() {
        List<String> wrong = new ArrayList<>();
        // In the short form, one caller makes each attempt.
        int stride = SeededRandom.scaled(BOUND.size(), 1);
        int turn = 0;
        for (String column : new TreeSet<>(BOUND)) {
            ApiClient caller = callers.get(column).get(0);
            List<TwoTenants.Request> attempts = tenants.attempts();
            for (int i = turn++ % stride; i < attempts.size(); i += stride) {
                TwoTenants.Request request = attempts.get(i);
                TwoTenants.Reply reply = tenants.send(caller, request);
                if (reply.status() >= 500) {
                    wrong.add(column + ": " + request + ": " + reply.status());
                }
                tenants.leaked(request, reply)
                        .ifPresent(word -> wrong.add(
                                column + ": " + request + " tells " + word + ": " + reply.headers() + reply.body()));
            }
        }
        assertThat(wrong).isEmpty();
    }

    /** The bytes do not tell whether somebody else has something. */
    @Test
    void somethingOfAnotherTenantLooksLikeNothing() {
        Map<String, String> wrong = new TreeMap<>();
        for (String column : BOUND) {
            ApiClient caller = callers.get(column).get(0);
            for (Row row : rows()) {
                if (!row.endpoint().contains("{id}")) {
                    continue;
                }
                TwoTenants.Request hidden = tenants.request(row.endpoint(), false);
                TwoTenants.Request unknown = hidden.withId(tenants.unknownId(hidden));
                String of = hidden.withoutId(tenants.send(caller, hidden).body());
                String nothing = unknown.withoutId(tenants.send(caller, unknown).body());
                if (!of.equals(nothing)) {
                    wrong.put(column + ": " + hidden, of + " but " + nothing);
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    /** Rights by attribute are also a reason why some of the objects of the own tenant are not seen. */
    @Test
    void aListHoldsExactlyWhatIsSeen() {
        Map<String, Integer> sizes = new LinkedHashMap<>();
        for (String path : List.of("/api/rules", "/api/overrides", "/api/switch")) {
            Answer answer = callers.get("acmeViewer").get(0).get(path).expect(200);
            sizes.put(path, (path.equals("/api/rules") ? answer.get("rules") : answer.json()).size());
        }
        assertThat(sizes).containsEntry("/api/rules", 2).containsEntry("/api/overrides", 1);
        assertThat(sizes).containsEntry("/api/switch", 2);
    }
}

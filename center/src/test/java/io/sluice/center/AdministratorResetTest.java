package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import io.sluice.center.people.Account;
import io.sluice.center.people.Accounts;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An administrator gets back in with a command on the machine, beside the running center. */
class AdministratorResetTest {

    @TempDir
    static Path data;

    private static Center center;
    private static CenterMaintenance machine;

    @BeforeAll
    static void open() throws Exception {
        center = Center.open(PreparedCenter.in(data));
        machine = new CenterMaintenance(PreparedCenter.in(data).listening("127.0.0.1", 8083));
    }

    @AfterAll
    static void close() {
        center.close();
    }

    private static Account account(String name) {
        return center.people()
                .database()
                .read(client -> center.people().accounts().named(client, name).orElseThrow());
    }

    private static long linked(CenterMaintenance.AdminLink link) {
        assertThat(link.link()).startsWith("http://localhost:8083/set-up#");
        String secret = link.link().substring(link.link().indexOf('#') + 1);
        return center.people()
                .database()
                .write(client -> center.people().vault().use(client, secret).orElseThrow());
    }

    @Test
    void alinkBringsAnAdministratorBackAndEndsWhatTheAccountHad() throws Exception {
        assertThat(linked(machine.resetAdmin(Optional.empty()))).isZero();
        Account ann = ApiClient.account(center, "ann", Grant.of(Role.ADMINISTRATOR));
        center.people().database().write(client -> center.people()
                .accounts()
                .replace(client, account("ann").withPassword("old hash")));
        ApiClient session = ApiClient.person(center, ann);
        session.get("/api/rules").expect(200);

        CenterMaintenance.AdminLink only = machine.resetAdmin(Optional.empty());

        assertThat(only.user()).hasValue("ann");
        assertThat(only.isNew()).isFalse();
        session.get("/api/rules").expect(401);
        assertThat(account("ann").password()).isEmpty();
        assertThat(linked(only)).isEqualTo(ann.id());

        center.people().database().write(client -> center.people()
                .accounts()
                .replace(
                        client,
                        account("ann")
                                .withGrants(List.of(Grant.of(Role.VIEWER)))
                                .disabled(1)));
        assertThat(linked(machine.resetAdmin(Optional.of("Ann")))).isEqualTo(ann.id());
        assertThat(account("ann").isDisabled()).isFalse();
        assertThat(account("ann").grants()).contains(Grant.of(Role.ADMINISTRATOR), Grant.of(Role.VIEWER));

        CenterMaintenance.AdminLink second = machine.resetAdmin(Optional.of("bob"));
        assertThat(second.isNew()).isTrue();
        assertThat(linked(second)).isEqualTo(account("bob").id());
        assertThatThrownBy(() -> machine.resetAdmin(Optional.empty()))
                .isInstanceOf(MaintenanceFailedException.class)
                .hasMessageContaining("--user with one of ann, bob");

        center.people().database().write(client -> center.people()
                .accounts()
                .add(client, new Accounts.Draft("eve", "Eve", "", "corp", "s-1", List.of())));
        assertThatThrownBy(() -> machine.resetAdmin(Optional.of("eve")))
                .isInstanceOf(MaintenanceFailedException.class)
                .hasMessageContaining("eve comes from the identity server corp");
        assertThat(account("eve").grants()).isEmpty();

        String log = ApiClient.of(center).get("/api/commands").expect(200).text();
        assertThat(log)
                .contains("reset_admin", "cli:" + System.getProperty("user.name"))
                .doesNotContain(second.link().substring(second.link().indexOf('#') + 1));
    }

    @Test
    void aLinkNeedsTheAddressOfTheCenter() {
        assertThatThrownBy(() -> new CenterMaintenance(PreparedCenter.in(data)).resetAdmin(Optional.empty()))
                .isInstanceOf(MaintenanceFailedException.class)
                .hasMessageStartingWith("center-port: 0 ");
    }
}

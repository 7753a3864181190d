package io.sluice.center.account;

import io.sluice.center.personal.Age;
import io.sluice.center.personal.AgingData;
import io.sluice.center.personal.OldIds;
import io.sluice.center.personal.PersonalData;
import io.sluice.center.personal.RetentionSettings;
import io.sluice.center.personal.SubjectText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.RowCallbackHandler;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The accounts and tokens of users of the center. An erasure only reports them; the data of disabled accounts is removed. */
public final class AccountData implements PersonalData, AgingData {

    @Override
    public List<String> left(JdbcClient client, SubjectText subject) {
        boolean[] found = new boolean[2];
        client.sql("SELECT name, display_name, email, identity, subject FROM account")
                .query((RowCallbackHandler) row -> {
                    for (int i = 1; i <= 5; i++) {
                        found[0] |= subject.isIn(row.getString(i));
                    }
                });
        client.sql("SELECT name, tenant FROM api_token").query((RowCallbackHandler)
                row -> found[1] |= subject.isIn(row.getString(1)) || subject.isIn(row.getString(2)));
        List<String> left = new ArrayList<>();
        if (found[0]) {
            left.add("accounts: one is the subject's (an administrator deletes or renames it)");
        }
        if (found[1]) {
            left.add("tokens: the name of one names the subject (revoke it and create another)");
        }
        return left;
    }

    /** Removes the data of disabled accounts. The name of an account remains: the log names it, and no other account may take it. */
    @Override
    public Map<String, Long> remove(JdbcClient client, Age age) {
        List<Long> ids = OldIds.select(
                client,
                "SELECT id FROM account a WHERE a.disabled_at > 0 AND a.disabled_at < ? AND (a.email <> ''"
                        + " OR a.display_name <> '' OR a.password <> ''"
                        + " OR EXISTS (SELECT 1 FROM passkey p WHERE p.account = a.id)) ORDER BY a.id",
                age.before(RetentionSettings.ACCOUNTS));
        ids.forEach(id -> {
            client.sql("UPDATE account SET email = '', display_name = '', password = '', revision = revision + 1"
                            + " WHERE id = ?")
                    .param(id)
                    .update();
            OldIds.delete(client, "passkey", "account", id);
            OldIds.delete(client, "passkey_user", "account", id);
            OldIds.delete(client, "confirmation", "account", id);
        });
        return Map.of(RetentionSettings.ACCOUNTS, (long) ids.size());
    }
}

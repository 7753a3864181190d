package io.sluice.center;

import io.sluice.center.access.Grant;
import io.sluice.center.database.Database;
import io.sluice.center.people.Account;
import io.sluice.center.people.Accounts;
import io.sluice.center.signin.QuickPasswords;
import io.sluice.core.time.Clock;
import java.util.List;

/** Opens centers for tests that sign in with passwords, whose hashes take little time, and for tests in other packages. */
public final class StagedCenter {

    private StagedCenter() {}

    static Center open(CenterSettings settings) throws CenterStartException {
        return open(settings, Clock.system());
    }

    /** Opens a center with a clock of the test. */
    public static Center open(CenterSettings settings, Clock clock) throws CenterStartException {
        return Center.open(settings, clock, QuickPasswords.create());
    }

    /** Returns the database of a center. */
    public static Database database(Center center) {
        return center.people().database();
    }

    /** Returns the hash of a password. */
    public static String hash(Center center, String password) {
        return center.passwords().hash(password);
    }

    /** Creates an account that can sign in. */
    public static Account account(
            Center center, String name, String displayName, String passwordHash, List<Grant> grants) {
        Accounts accounts = center.people().accounts();
        return center.people().database().write(client -> {
            Account made = accounts.add(
                    client, new Accounts.Draft(name, displayName, name + "@shop.example", Account.LOCAL, "", grants));
            return accounts.replace(client, made.withPassword(passwordHash));
        });
    }

    /** Gives a password to an account. */
    public static Account password(Center center, long id, String passwordHash) {
        Accounts accounts = center.people().accounts();
        return center.people()
                .database()
                .write(client -> accounts.replace(
                        client, accounts.find(client, id).orElseThrow().withPassword(passwordHash)));
    }
}

package io.sluice.center.approval;

import io.sluice.center.database.LostRaceException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The tables of the approval settings and of proposals to change them. */
final class SettingsTable {

    private static final String PROPOSAL =
            "SELECT id, base, approvals, expires_millis, emergency_millis, raise_percent,"
                    + " reason, actor, identity, at, state FROM settings_proposal ";

    ApprovalSettings current(JdbcClient client) {
        return client.sql("SELECT revision, approvals, expires_millis, emergency_millis, raise_percent"
                        + " FROM approval_settings ORDER BY revision DESC LIMIT 1")
                .query((row, index) -> settings(row, 1))
                .optional()
                .orElse(ApprovalSettings.DEFAULT);
    }

    /** Puts settings in force. Fails if settings of the same revision are already stored. */
    void add(JdbcClient client, ApprovalSettings settings, long at) {
        client.sql(
                        "INSERT INTO approval_settings (revision, approvals, expires_millis, emergency_millis, raise_percent,"
                                + " at) VALUES (?, ?, ?, ?, ?, ?)")
                .params(
                        settings.revision(),
                        settings.approvals(),
                        settings.expires().toMillis(),
                        settings.emergency().toMillis(),
                        settings.raisePercent(),
                        at)
                .update();
    }

    void add(JdbcClient client, SettingsProposal proposal) {
        client.sql(
                        "INSERT INTO settings_proposal (id, base, approvals, expires_millis, emergency_millis, raise_percent,"
                                + " reason, actor, identity, at, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
                .params(
                        proposal.id(),
                        proposal.settings().revision(),
                        proposal.settings().approvals(),
                        proposal.settings().expires().toMillis(),
                        proposal.settings().emergency().toMillis(),
                        proposal.settings().raisePercent(),
                        proposal.reason(),
                        proposal.actor(),
                        proposal.identity(),
                        proposal.at(),
                        proposal.state())
                .update();
    }

    /**
     * Moves a waiting proposal to another state, or keeps it waiting until the transaction ends.
     *
     * @throws LostRaceException if it was approved or rejected in the meantime
     */
    void move(JdbcClient client, long id, String state) {
        int rows = client.sql("UPDATE settings_proposal SET state = ? WHERE id = ? AND state = ?")
                .params(state, id, SettingsProposal.WAITING)
                .update();
        if (rows != 1) {
            throw new LostRaceException("proposal " + id + ": decided by somebody else");
        }
    }

    Optional<SettingsProposal> find(JdbcClient client, long id) {
        return client.sql(PROPOSAL + "WHERE id = ?")
                .param(id)
                .query(SettingsTable::proposal)
                .optional();
    }

    /** Returns the proposals that wait, newest first. */
    List<SettingsProposal> waiting(JdbcClient client) {
        return client.sql(PROPOSAL + "WHERE state = ? ORDER BY id DESC")
                .param(SettingsProposal.WAITING)
                .query(SettingsTable::proposal)
                .list();
    }

    private static SettingsProposal proposal(ResultSet row, int index) throws SQLException {
        return new SettingsProposal(
                row.getLong(1),
                settings(row, 2),
                row.getString(7),
                row.getString(8),
                row.getString(9),
                row.getLong(10),
                row.getString(11));
    }

    private static ApprovalSettings settings(ResultSet row, int first) throws SQLException {
        return new ApprovalSettings(
                row.getLong(first),
                row.getLong(first + 1),
                Duration.ofMillis(row.getLong(first + 2)),
                Duration.ofMillis(row.getLong(first + 3)),
                row.getLong(first + 4));
    }
}

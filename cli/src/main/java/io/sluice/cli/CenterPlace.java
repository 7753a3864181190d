package io.sluice.cli;

import io.sluice.center.Center;
import io.sluice.center.CenterSettings;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The addresses and files of a running center.
 *
 * @param address the address for people and programs
 * @param console the address of the page for people
 * @param database the address of the database, without user and password
 * @param setUpLink the link to set up the first administrator; empty if there is one
 */
record CenterPlace(
        URI address, URI console, Path tokenFile, String database, Optional<String> redis, Optional<String> setUpLink) {

    static CenterPlace of(Center center, CenterSettings settings) {
        String db = settings.db();
        return new CenterPlace(
                settings.signIn().publicUrl().orElse(center.address()),
                center.publicUrl(),
                center.adminTokenFile(),
                db.isEmpty() ? settings.data().resolve("center.db").toString() : db.replaceAll("\\?.*", ""),
                settings.redis(),
                center.setUpLink());
    }

    /** Returns a command that reads the rules in force. */
    String curl() {
        return "curl -H \"Authorization: Bearer $(cat " + tokenFile + ")\" " + address + "/api/rules";
    }
}

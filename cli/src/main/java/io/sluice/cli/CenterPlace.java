package io.sluice.cli;

import io.sluice.center.Center;
import io.sluice.center.CenterSettings;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where to find a running center and its data.
 *
 * @param address for people and programs
 * @param console the page for people
 * @param database without user and password
 * @param setUpLink the link of the first administrator, while there is none
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

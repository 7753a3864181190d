package io.sluice.testkit.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

/** Creates self-signed certificates for {@code localhost} in a folder, with the JDK's keytool. */
public final class SelfSigned {

    private static final char[] PASSWORD = "changeit".toCharArray();

    private final Path folder;

    public SelfSigned(Path folder) {
        this.folder = folder;
    }

    /** Creates {@code <name>.crt} and {@code <name>.key}. */
    public void make(String name) throws IOException, GeneralSecurityException, InterruptedException {
        Path store = folder.resolve(name + ".p12");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-J-XX:TieredStopAtLevel=1",
                        "-J-XX:+UseSerialGC",
                        "-genkeypair",
                        "-alias",
                        name,
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "san=dns:localhost,ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        new String(PASSWORD))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new IllegalStateException("keytool made no certificate for " + name);
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD);
        }
        write(name + ".crt", "CERTIFICATE", keys.getCertificate(name).getEncoded());
        write(name + ".key", "PRIVATE KEY", keys.getKey(name, PASSWORD).getEncoded());
    }

    public Path certificate(String name) {
        return folder.resolve(name + ".crt");
    }

    public Path key(String name) {
        return folder.resolve(name + ".key");
    }

    private void write(String file, String kind, byte[] content) throws IOException {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(
                folder.resolve(file), "-----BEGIN " + kind + "-----\n" + body + "\n-----END " + kind + "-----\n");
    }
}

package io.sluice.rules.source;

import java.net.URI;
import java.util.ServiceLoader;

/**
 * Opens sources of one kind. Implementations are found by {@link ServiceLoader}, so a source that another project brings along is used
 * like those of Sluice. Stateless and thread-safe.
 */
public interface DocumentSourceProvider {

    /** Returns whether it opens addresses with this scheme, such as {@code s3}. */
    boolean opens(String scheme);

    /**
     * Opens a source. Nothing is read yet.
     *
     * @param nodeId distinguishes this process from others that read the same rules
     * @throws IllegalArgumentException if the address is not one of such a source
     */
    DocumentSource open(URI address, String nodeId);

    /**
     * Opens the source with this address.
     *
     * @throws IllegalArgumentException if no provider on the class path opens it
     */
    static DocumentSource at(URI address, String nodeId) {
        String scheme = String.valueOf(address.getScheme());
        return ServiceLoader.load(DocumentSourceProvider.class, DocumentSourceProvider.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.opens(scheme))
                .findFirst()
                .orElseThrow(
                        () -> new IllegalArgumentException(
                                "rules: " + scheme
                                        + ":… (expected: an address that a source on the class path opens, such as file:///etc/rules.yaml)"))
                .open(address, nodeId);
    }
}

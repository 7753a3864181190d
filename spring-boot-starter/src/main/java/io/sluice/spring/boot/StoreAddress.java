package io.sluice.spring.boot;

/**
 * Where the shared counts are.
 *
 * @param uri may hold a password
 * @param from the property, or whatever else, that said so
 */
record StoreAddress(String uri, String from) {

    /** For the eyes of people. */
    String shown() {
        return uri.replaceAll("//[^/]*@", "//***@");
    }

    @Override
    public String toString() {
        return shown();
    }
}

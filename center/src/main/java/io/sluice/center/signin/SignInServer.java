package io.sluice.center.signin;

/**
 * An identity server that people can sign in with.
 *
 * @param title the name that people see
 * @param url a path of the center that leads to the server
 */
public record SignInServer(String name, String title, String url) {}

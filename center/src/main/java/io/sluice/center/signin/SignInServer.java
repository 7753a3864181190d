package io.sluice.center.signin;

/**
 * An identity server that a person can sign in with.
 *
 * @param title for people
 * @param url a path of the center that leads to the server
 */
public record SignInServer(String name, String title, String url) {}

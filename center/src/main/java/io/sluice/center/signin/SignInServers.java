package io.sluice.center.signin;

import java.util.List;

/** The identity servers that people can choose on the sign-in page. */
public interface SignInServers {

    List<SignInServer> list();
}

// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fake

import (
	"context"
	"testing"
)

// Docker returns the engine that find finds on a PATH with a fake docker that
// has these answers. find is engine.Find, which is a parameter because the
// tests of package engine use this package. Its calls are not recorded.
func Docker[E any](t *testing.T, find func(context.Context) (E, error), answers ...Answer) (E, *Commands) {
	t.Helper()
	c := NewCommands(t).Command("docker", append([]Answer{
		{Args: "--version", Stdout: "Docker version 28.2.2, build e6534b4\n"},
		{Args: "version", Stdout: "28.2.2\n"},
	}, answers...)...)
	t.Setenv("DRACONFORM_ENGINE", "docker")
	e, err := find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.Forget()
	return e, c
}

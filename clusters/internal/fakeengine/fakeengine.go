// Package fakeengine gives tests a container engine whose client is a fake.
package fakeengine

import (
	"testing"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/internal/fakecmd"
)

// Docker returns an engine whose client is a fake with these answers, and
// forgets that it was found.
func Docker(t *testing.T, answers ...fakecmd.Answer) (*engine.Engine, *fakecmd.Fake) {
	t.Helper()
	f := fakecmd.New(t).Command("docker", append([]fakecmd.Answer{
		{Args: "--version", Stdout: "Docker version 28.2.2, build e6534b4\n"},
		{Args: "version", Stdout: "28.2.2\n"},
	}, answers...)...)
	t.Setenv(engine.EnvName, "docker")
	e, err := engine.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f.Forget()
	return e, f
}

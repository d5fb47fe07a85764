// Package fakeengine provides a container engine with a fake client to tests.
package fakeengine

import (
	"testing"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/internal/fakecmd"
)

// Docker returns an engine whose client is a fake with these answers. The calls
// of engine.Find are not recorded.
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

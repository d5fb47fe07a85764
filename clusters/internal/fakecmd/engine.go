package fakecmd

import (
	"testing"

	"github.com/draconform/draconform/clusters/engine"
)

// Docker returns an engine whose client is a fake with these answers, and
// forgets that it was found.
func Docker(t *testing.T, answers ...Answer) (*engine.Engine, *Fake) {
	t.Helper()
	f := New(t).Command("docker", append([]Answer{
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

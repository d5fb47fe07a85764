package gobuild

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/mod/module"
)

// Download brings a module into the module cache and returns the folder of its
// files.
func Download(ctx context.Context, m module.Version) (dir string, err error) {
	found, err := ask(ctx, m, "mod", "download", "-json")
	return found.Dir, err
}

// GoMod brings a module's go.mod file into the module cache, but none of its
// other files, and returns its path.
func GoMod(ctx context.Context, m module.Version) (path string, err error) {
	found, err := ask(ctx, m, "list", "-m", "-json")
	return found.GoMod, err
}

// answer is what the go command tells of a module.
type answer struct{ Dir, GoMod string }

func ask(ctx context.Context, m module.Version, command ...string) (answer, error) {
	// An empty folder keeps a go.mod of the caller's out of the way.
	dir, err := os.MkdirTemp("", "draconform-download-")
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	cmd := exec.CommandContext(ctx, "go", append(command, m.String())...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, runErr := cmd.Output()
	var found struct {
		answer
		Error any // a text or an object, by command
	}
	if err := json.Unmarshal(out, &found); err == nil && found.Error != nil {
		return answer{}, fmt.Errorf("download module %s: %v", m, found.Error)
	}
	if runErr != nil {
		return answer{}, fmt.Errorf("download module %s: %w: %s", m, runErr, strings.TrimSpace(stderr.String()))
	}
	return found.answer, nil
}

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

// Download downloads a module into the module cache and returns the folder of
// its files.
func Download(ctx context.Context, m module.Version) (dir string, err error) {
	found, err := ask(ctx, m, "mod", "download", "-json")
	return found.Dir, err
}

// GoMod downloads a module's go.mod file, without its other files, into the
// module cache and returns its path.
func GoMod(ctx context.Context, m module.Version) (path string, err error) {
	found, err := ask(ctx, m, "list", "-m", "-json")
	return found.GoMod, err
}

// answer is the go command's description of a module.
type answer struct{ Dir, GoMod string }

func ask(ctx context.Context, m module.Version, command ...string) (answer, error) {
	// In an empty folder the go command does not use a go.mod of the caller.
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
		Error any // a string or an object, depending on the command
	}
	if err := json.Unmarshal(out, &found); err == nil && found.Error != nil {
		return answer{}, fmt.Errorf("download module %s: %v", m, found.Error)
	}
	if runErr != nil {
		return answer{}, fmt.Errorf("download module %s: %w: %s", m, runErr, strings.TrimSpace(stderr.String()))
	}
	return found.answer, nil
}

// Package gobuild builds commands of other Go modules, each from a throw-away
// main module that pins what it is built from.
package gobuild

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// Build describes the commands to build and what to build them from.
type Build struct {
	// Dir is the folder of the throw-away module; it is created.
	Dir string
	// Checkout builds in Dir as it is, the root of a module's source; then
	// Require, Replace and Sources have no meaning.
	Checkout bool
	// Require lists the modules that the commands come from or import.
	Require []module.Version
	// Replace maps module paths to the versions they are replaced by, at
	// the same path.
	Replace []module.Version
	// Sources are files of the throw-away module itself, by path.
	Sources map[string][]byte
	// Commands are the import paths of the main packages.
	Commands []string
	// Out is the folder that receives the binaries; it is created.
	Out string
	// CGO links against C libraries. Without it binaries are static.
	CGO bool
	// Tags are build tags.
	Tags []string
	// LDFlags are added to "-s -w".
	LDFlags string
}

// Run builds. While it compiles, update is called with what has been done so
// far. A failure carries the last lines of the go command's output.
func (b Build) Run(ctx context.Context, update func(string)) error {
	mod := "readonly"
	if !b.Checkout {
		mod = "mod" // completes what the throw-away module requires
		if err := b.writeModule(); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(b.Out, 0o755); err != nil {
		return err
	}
	args := []string{
		"build", "-mod=" + mod, "-trimpath", "-v", "-buildvcs=false",
		"-tags=" + strings.Join(b.Tags, ","),
		"-ldflags=" + strings.TrimSpace("-s -w "+b.LDFlags),
		"-o", b.Out + string(filepath.Separator),
	}
	cgo := "0"
	if b.CGO {
		cgo = "1"
	}
	if err := goCommand(ctx, b.Dir, update, []string{"CGO_ENABLED=" + cgo, "GOOS=linux"}, append(args, b.Commands...)...); err != nil {
		return fmt.Errorf("build %s: %w", strings.Join(b.Commands, " "), err)
	}
	return nil
}

// writeModule writes go.mod and the sources. An existing go.sum stays: it
// belongs to the same pinned inputs.
func (b Build) writeModule() error {
	var f modfile.File
	if err := f.AddModuleStmt("draconform.dev/throwaway"); err != nil {
		return err
	}
	if err := f.AddGoStmt("1.26.0"); err != nil {
		return err
	}
	for _, m := range b.Require {
		f.AddNewRequire(m.Path, m.Version, false)
	}
	for _, m := range b.Replace {
		if err := f.AddReplace(m.Path, "", m.Path, m.Version); err != nil {
			return err
		}
	}
	mod, err := f.Format()
	if err != nil {
		return fmt.Errorf("write throw-away module: %w", err)
	}
	files := map[string][]byte{"go.mod": mod}
	maps.Copy(files, b.Sources)
	for name, content := range files {
		path := filepath.Join(b.Dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Module is a module in the module cache.
type Module struct {
	Dir   string // where its files are
	GoMod string // the path of its go.mod file
}

// Download brings a module into the module cache.
func Download(ctx context.Context, m module.Version) (Module, error) {
	// An empty folder keeps a go.mod of the caller's out of the way.
	dir, err := os.MkdirTemp("", "draconform-download-")
	if err != nil {
		return Module{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", m.String())
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, runErr := cmd.Output()
	var answer struct{ Dir, GoMod, Error string }
	if err := json.Unmarshal(out, &answer); err == nil && answer.Error != "" {
		return Module{}, fmt.Errorf("download module %s: %s", m, answer.Error)
	}
	if runErr != nil {
		return Module{}, fmt.Errorf("download module %s: %w: %s", m, runErr, strings.TrimSpace(stderr.String()))
	}
	return Module{Dir: answer.Dir, GoMod: answer.GoMod}, nil
}

// goCommand runs the go command in dir and counts what it reports.
func goCommand(ctx context.Context, dir string, update func(string), env []string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOWORK=off", "GOFLAGS="), env...)
	// Interrupted, the go command ends its compilers; killed, it leaves them.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the go command: %w", err)
	}
	last := follow(stderr, update)
	if err := cmd.Wait(); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("%w: %s", err, strings.Join(last, "\n"))
	}
	return nil
}

// follow reads the output of "go build -v" to its end, reports progress, and
// returns the last lines that are not progress.
func follow(r io.Reader, update func(string)) []string {
	const keep = 20
	var last []string
	var modules, packages int
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, "go: downloading "):
			modules++
		case isPackage(line):
			packages++
		default:
			if last = append(last, line); len(last) > keep {
				last = last[1:]
			}
		}
		update(fmt.Sprintf("%d modules fetched, %d packages compiled", modules, packages))
	}
	if err := lines.Err(); err != nil && !errors.Is(err, os.ErrClosed) {
		last = append(last, err.Error())
		_, _ = io.Copy(io.Discard, r) // or the command waits until somebody reads
	}
	return last
}

// isPackage tells a line of -v, a bare import path, from a message.
func isPackage(line string) bool {
	return line != "" && !strings.ContainsAny(line, " \t:#")
}

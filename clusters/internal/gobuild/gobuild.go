// Package gobuild builds commands of other Go modules, each from a throw-away
// main module that pins what it is built from.
package gobuild

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/draconform/draconform/internal/gocmd"
)

// Build describes the commands to build and what to build them from.
type Build struct {
	// Dir is the folder of the throw-away module; it is created.
	Dir string
	// Checkout builds in Dir as it is, the root of a module's source; then
	// Require, Pin and Sources have no meaning.
	Checkout bool
	// Require lists the modules that the commands come from or import.
	Require []module.Version
	// Pin lists modules that have this version, no newer one, whatever
	// others require.
	Pin []module.Version
	// Sources are files of the throw-away module itself, by path.
	Sources map[string][]byte
	// Commands are the import paths of the main packages.
	Commands []string
	// Out is the folder that receives the binaries; it is created.
	Out string
	// Tags are build tags.
	Tags []string
	// LDFlags are added to "-s -w".
	LDFlags string
}

// environment is that of each build, beside what the user has set.
var environment = []string{"GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0", "GOOS=linux"}

// turn is held by the build that runs. Each keeps all processors busy, and two at
// the same time would compile the packages that they share twice.
var turn = make(chan struct{}, 1)

// Run builds static binaries, after the builds that this process began before.
// While it compiles, update is called with what has been done so far. A failure
// carries the last lines of the go command's output.
func (b Build) Run(ctx context.Context, update func(string, ...any)) error {
	mod := "readonly"
	if !b.Checkout {
		mod = "mod" // completes what the throw-away module requires
		if err := b.pin(ctx); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(b.Out, 0o755); err != nil {
		return err
	}
	select {
	case turn <- struct{}{}:
		defer func() { <-turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	args := append([]string{
		"-mod=" + mod, "-buildvcs=false",
		"-tags=" + strings.Join(b.Tags, ","),
		"-ldflags=" + strings.TrimSpace("-s -w "+b.LDFlags),
		"-o", b.Out + string(filepath.Separator),
	}, b.Commands...)
	if err := gocmd.Build(ctx, b.Dir, func(d gocmd.Done) { update("%s", d) }, environment, args...); err != nil {
		return fmt.Errorf("build %s: %w", strings.Join(b.Commands, " "), err)
	}
	return nil
}

// writeModule writes go.mod and the sources. An existing go.sum stays: it
// belongs to the same pinned inputs.
func (b Build) writeModule(excluded []module.Version) error {
	var f modfile.File
	if err := f.AddModuleStmt("draconform.dev/throwaway"); err != nil {
		return err
	}
	if err := f.AddGoStmt("1.26.0"); err != nil {
		return err
	}
	for _, m := range slices.Concat(b.Require, b.Pin) {
		f.AddNewRequire(m.Path, m.Version, false)
	}
	for _, m := range excluded {
		if err := f.AddExclude(m.Path, m.Version); err != nil {
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

package gobuild

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/draconform/draconform/internal/gocmd"
)

// Discard removes packages that Run compiled from the go command's cache and
// returns the number of freed bytes. It selects packages by their import paths.
// Other builds with [gocmd.Flags] that need one of them compile it again.
// Builds with other flags use separate cache entries.
func (b Build) Discard(ctx context.Context, discard func(importPath string) bool) (int64, error) {
	out, err := b.list(ctx, "-mod=mod", "-export", "-f", "{{.ImportPath}} {{.Export}}")
	if err != nil {
		return 0, err
	}
	cache, err := exec.CommandContext(ctx, "go", "env", "GOCACHE").Output()
	if err != nil {
		return 0, fmt.Errorf("find the go command's cache: %w", err)
	}
	inCache := strings.TrimSpace(string(cache)) + string(filepath.Separator)
	var freed int64
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		path, file, _ := strings.Cut(lines.Text(), " ")
		if !strings.HasPrefix(file, inCache) || !discard(path) {
			continue
		}
		info, err := os.Stat(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.Remove(file)
		}
		if err != nil {
			return freed, err
		}
		freed += info.Size()
	}
	return freed, nil
}

// Packages returns the import paths of all packages that the build's commands
// depend on. For a checkout, it returns all packages of its module and their
// tests.
func (b Build) Packages(ctx context.Context) ([]string, error) {
	args := []string{"-mod=mod"}
	if b.Checkout {
		args = []string{"-mod=readonly", "-test"}
		b.Commands = []string{"./..."}
	}
	out, err := b.list(ctx, args...)
	return strings.Fields(string(out)), err
}

// list runs "go list -deps" with the same flags and environment as Run.
func (b Build) list(ctx context.Context, args ...string) ([]byte, error) {
	args = append(append([]string{"list", "-deps", "-tags=" + strings.Join(b.Tags, ",")}, gocmd.Flags...), args...)
	cmd := exec.CommandContext(ctx, "go", append(args, b.Commands...)...)
	cmd.Dir = b.Dir
	cmd.Env = append(os.Environ(), environment...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("list packages: %w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

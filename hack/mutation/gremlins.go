// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/draconform/draconform/internal/gocmd"
)

// The statuses of changes. Others mean that the change does not compile or that
// the tests did not end in time, which a test would notice too.
const (
	killed = "KILLED"
	lived  = "LIVED"
	// notTried is also the status of changes in conditions of switch cases, which
	// coverage profiles do not contain.
	notTried = "NOT COVERED"
)

// change is one operator that was replaced by another.
type change struct {
	// File is relative to the repository.
	File string
	Line int
	// Code is the line, without white space around it.
	Code string
	// Type is the kind of the change, such as CONDITIONALS_BOUNDARY.
	Type, Status string
}

func (c change) String() string {
	return fmt.Sprintf("%s:%d: %s in: %s", c.File, c.Line, c.Type, c.Code)
}

// result is what the tests of a package found.
type result struct {
	Package string
	Changes []change
}

// with returns the changes with a status.
func (r result) with(status string) []change {
	return slices.DeleteFunc(slices.Clone(r.Changes), func(c change) bool { return c.Status != status })
}

// output is the file that gremlins writes, as far as it is used.
type output struct {
	Files []struct {
		Name      string `json:"file_name"`
		Mutations []struct {
			Type   string `json:"type"`
			Status string `json:"status"`
			Line   int    `json:"line"`
		} `json:"mutations"`
	} `json:"files"`
}

// unleash changes a package, which is a path below the current folder, and runs its
// tests with each change. The output goes to a folder.
func unleash(ctx context.Context, tool, pkg, artifacts string) (result, error) {
	name := filepath.Join(artifacts, strings.ReplaceAll(pkg, "/", "-"))
	out, err := filepath.Abs(name + ".json")
	if err != nil {
		return result{}, fmt.Errorf("change package %s: %w", pkg, err)
	}
	var log bytes.Buffer
	cmd := exec.CommandContext(ctx, tool, "unleash", "--output", out, "./"+pkg)
	// Packages are compiled as for all other tests.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS="+goFlags())
	cmd.Stdout, cmd.Stderr = &log, &log
	// On an interrupt, it ends the tests and removes its copies of the code.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second
	err = cmd.Run()
	if written := os.WriteFile(name+".log", log.Bytes(), 0o644); written != nil {
		return result{}, fmt.Errorf("write the output for package %s: %w", pkg, written)
	}
	if ctx.Err() != nil {
		return result{}, context.Cause(ctx)
	}
	if err != nil {
		return result{}, fmt.Errorf("change package %s, see %s.log: %w", pkg, name, err)
	}
	return read(".", pkg, out)
}

// goFlags returns the flags of tests as a value of GOFLAGS.
func goFlags() string {
	var quoted []string
	for _, f := range gocmd.Flags {
		quoted = append(quoted, "'"+f+"'")
	}
	return strings.Join(append(quoted, "-vet=off"), " ")
}

// read reads the output for a package of the repository in a folder.
func read(root, pkg, path string) (result, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return result{}, fmt.Errorf("read the changes of package %s: %w", pkg, err)
	}
	var o output
	if err := json.Unmarshal(content, &o); err != nil {
		return result{}, fmt.Errorf("read the changes of package %s: %w", pkg, err)
	}
	r := result{Package: pkg}
	for _, f := range o.Files {
		file := filepath.Join(pkg, f.Name)
		code, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return r, fmt.Errorf("read changed code: %w", err)
		}
		lines := strings.Split(string(code), "\n")
		for _, m := range f.Mutations {
			if m.Line < 1 || m.Line > len(lines) {
				return r, fmt.Errorf("read the changes of package %s: %s has no line %d", pkg, file, m.Line)
			}
			r.Changes = append(r.Changes, change{File: file, Line: m.Line, Code: strings.TrimSpace(lines[m.Line-1]), Type: m.Type, Status: m.Status})
		}
	}
	return r, nil
}

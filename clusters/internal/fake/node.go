// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fake

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Node is a folder that represents a node. Scripts for nodes run in it, with
// stubs of the commands of a node. Paths are relative to it.
type Node struct {
	t   *testing.T
	Dir string
}

// NewNode returns a node with the given folders.
func NewNode(t *testing.T, folders ...string) *Node {
	t.Helper()
	n := &Node{t, t.TempDir()}
	for _, folder := range append(folders, "run", "stubs") {
		n.check(os.MkdirAll(n.path(folder), 0o755))
	}
	t.Setenv("PATH", n.path("stubs")+":"+os.Getenv("PATH"))
	return n
}

func (n *Node) path(path string) string { return filepath.Join(n.Dir, path) }

func (n *Node) check(err error) {
	n.t.Helper()
	if err != nil {
		n.t.Fatal(err)
	}
}

// Stub adds a command to PATH that runs a shell script in the node.
func (n *Node) Stub(command, script string) {
	n.t.Helper()
	n.Executable("stubs/"+command, script)
}

// Executable writes an executable file with a shell script.
func (n *Node) Executable(path, script string) {
	n.t.Helper()
	n.check(os.WriteFile(n.path(path), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
}

// Write writes a file and creates its parent folders.
func (n *Node) Write(path, content string) {
	n.t.Helper()
	n.check(os.MkdirAll(filepath.Dir(n.path(path)), 0o755))
	// A script that runs meanwhile reads the file before or after, and not half of it.
	next := filepath.Join(n.t.TempDir(), "next")
	n.check(os.WriteFile(next, []byte(content), 0o644))
	n.check(os.Rename(next, n.path(path)))
}

// Read returns the content of a file.
func (n *Node) Read(path string) string {
	n.t.Helper()
	content, err := os.ReadFile(n.path(path))
	n.check(err)
	return string(content)
}

// Remove removes a file or a folder.
func (n *Node) Remove(path string) {
	n.t.Helper()
	n.check(os.RemoveAll(n.path(path)))
}

// Info returns the FileInfo of a file.
func (n *Node) Info(path string) fs.FileInfo {
	n.t.Helper()
	info, err := os.Stat(n.path(path))
	n.check(err)
	return info
}

// Files returns the files that match a pattern, sorted.
func (n *Node) Files(pattern string) []string {
	n.t.Helper()
	found, err := filepath.Glob(n.path(pattern))
	n.check(err)
	for i := range found {
		found[i] = strings.TrimPrefix(found[i], n.Dir+"/")
	}
	return found
}

// Script is a running script.
type Script struct {
	node *Node
	cmd  *exec.Cmd
	out  bytes.Buffer
}

// Start starts a script with the folder of the node as its first argument.
func (n *Node) Start(script string, args ...string) *Script {
	n.t.Helper()
	s := &Script{node: n, cmd: exec.CommandContext(n.t.Context(), "sh", append([]string{"-ec", script, "sh", n.Dir}, args...)...)}
	s.cmd.Stdout, s.cmd.Stderr = &s.out, &s.out
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	n.check(s.cmd.Start())
	n.t.Cleanup(s.Kill)
	return s
}

// Wait waits for the script and returns its output.
func (s *Script) Wait() (string, error) {
	err := s.cmd.Wait()
	return strings.TrimSpace(s.out.String()), err
}

// Kill kills the script and its children with SIGKILL.
func (s *Script) Kill() {
	err := syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
	if err != nil && !errors.Is(err, syscall.ESRCH) {
		s.node.t.Error(err)
	}
	_ = s.cmd.Wait()
}

// Run runs a script and waits for it.
func (n *Node) Run(script string, args ...string) (string, error) {
	n.t.Helper()
	return n.Start(script, args...).Wait()
}

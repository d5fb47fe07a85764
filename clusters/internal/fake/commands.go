// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package fake provides tests with fakes of what clusters are made with:
// commands, a container engine and a node.
package fake

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// dirEnv is the environment variable with the folder that a test and its fake
// commands share.
const dirEnv = "DRACONFORM_TEST_FAKE_COMMANDS"

// releasedFile exists once a command with Release has run.
const releasedFile = "released"

// Answer is the behaviour of a fake command whose arguments, joined by spaces,
// begin with Args and contain Has.
type Answer struct {
	Args   string
	Has    string
	Stdout string
	Stderr string
	Exit   int
	Hang   bool // block until interrupted
	Wait   bool // block until a command whose answer has Release runs
	// Release unblocks all commands that wait, including later ones.
	Release bool
}

// Call is a recorded call of a fake command.
type Call struct {
	Line  string // command and arguments, joined by spaces
	Stdin string
}

// Main is for TestMain of packages that use [Commands]. It runs the package's
// tests, or a fake command if the test binary was started as one.
func Main(m *testing.M) {
	if dir := os.Getenv(dirEnv); dir != "" {
		os.Exit(runFake(dir, os.Args))
	}
	os.Exit(m.Run())
}

// runFake runs a fake command and returns its exit code. It panics on errors,
// which the test sees in the output of the command.
func runFake(dir string, argv []string) int {
	name, args := filepath.Base(argv[0]), strings.Join(argv[1:], " ")
	content, err := os.ReadFile(filepath.Join(dir, name+".json"))
	must(err)
	var answers []Answer
	must(json.Unmarshal(content, &answers))
	stdin, err := io.ReadAll(os.Stdin)
	must(err)
	record(dir, Call{Line: strings.TrimSpace(name + " " + args), Stdin: string(stdin)})
	for _, a := range answers {
		if strings.HasPrefix(args, a.Args) && strings.Contains(args, a.Has) {
			return a.run(dir)
		}
	}
	fmt.Fprintf(os.Stderr, "fake %s has no answer to: %s\n", name, args)
	return 99
}

func (a Answer) run(dir string) int {
	interrupted := make(chan os.Signal, 1)
	if a.Hang {
		signal.Notify(interrupted, os.Interrupt)
	}
	fmt.Print(a.Stdout)
	fmt.Fprint(os.Stderr, a.Stderr)
	released := filepath.Join(dir, releasedFile)
	if a.Release {
		must(os.WriteFile(released, nil, 0o600))
	}
	if a.Hang {
		<-interrupted
	}
	if a.Wait {
		await(released)
	}
	return a.Exit
}

// await returns when the file exists, or its folder does not any more: the test
// has ended before the command has seen the file.
func await(path string) {
	for range time.Tick(5 * time.Millisecond) {
		_, err := os.Stat(path)
		_, ended := os.Stat(filepath.Dir(path))
		if err == nil || ended != nil {
			return
		}
	}
}

// record appends a call in one write: commands run in parallel.
func record(dir string, c Call) {
	line, err := json.Marshal(c)
	must(err)
	f, err := os.OpenFile(filepath.Join(dir, "calls"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	must(err)
	_, err = f.Write(append(line, '\n'))
	must(err)
	must(f.Close())
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// Commands is a PATH that contains only fake commands. They are links to the
// test binary.
type Commands struct {
	// Dir is the folder of the commands.
	Dir string
	t   *testing.T
}

// NewCommands sets PATH to an empty folder for the duration of a test.
func NewCommands(t *testing.T) *Commands {
	t.Helper()
	c := &Commands{Dir: t.TempDir(), t: t}
	t.Setenv("PATH", c.Dir)
	t.Setenv(dirEnv, c.Dir)
	// With the race detector a command would otherwise sleep one second at
	// exit.
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	return c
}

// Command installs a command with its answers, or replaces the answers.
func (c *Commands) Command(name string, answers ...Answer) *Commands {
	c.t.Helper()
	self, err := os.Executable()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(c.Dir, name)); err != nil && !os.IsExist(err) {
		c.t.Fatal(err)
	}
	content, err := json.Marshal(answers)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.Dir, name+".json"), content, 0o600); err != nil {
		c.t.Fatal(err)
	}
	return c
}

// Calls returns the recorded calls in order.
func (c *Commands) Calls() []Call {
	c.t.Helper()
	content, err := os.ReadFile(filepath.Join(c.Dir, "calls"))
	if err != nil && !os.IsNotExist(err) {
		c.t.Fatal(err)
	}
	var calls []Call
	for line := range strings.Lines(string(content)) {
		var call Call
		if err := json.Unmarshal([]byte(line), &call); err != nil {
			c.t.Fatal(err)
		}
		calls = append(calls, call)
	}
	return calls
}

// Lines returns the command lines of the recorded calls.
func (c *Commands) Lines() []string {
	c.t.Helper()
	var lines []string
	for _, call := range c.Calls() {
		lines = append(lines, call.Line)
	}
	return lines
}

// Forget removes the recorded calls.
func (c *Commands) Forget() {
	c.t.Helper()
	if err := os.RemoveAll(filepath.Join(c.Dir, "calls")); err != nil {
		c.t.Fatal(err)
	}
}

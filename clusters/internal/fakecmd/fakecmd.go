// Package fakecmd lets a test binary stand in for the commands that the code
// under test runs, such as a container engine's client.
package fakecmd

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

// dirEnv names the folder in which a test and its fake commands talk.
const dirEnv = "DRACONFORM_TEST_FAKE_COMMANDS"

// releasedFile is there once a command with Release has run.
const releasedFile = "released"

// Answer is what a fake command does when its arguments, joined by blanks,
// begin with Args and contain Has.
type Answer struct {
	Args   string
	Has    string
	Stdout string
	Stderr string
	Exit   int
	Hang   bool // ends when it is interrupted
	Wait   bool // ends when a command whose answer has Release runs
	// Release lets commands go that wait, now or later.
	Release bool
}

// Call is what a fake command was given.
type Call struct {
	Line  string // command and arguments, joined by blanks
	Stdin string
}

// Main is for TestMain: it runs the package's tests, or plays a command if the
// binary was started as one.
func Main(m *testing.M) {
	if dir := os.Getenv(dirEnv); dir != "" {
		os.Exit(play(dir, os.Args))
	}
	os.Exit(m.Run())
}

// play has nobody to return an error to but the test, which sees the output of
// the command that failed.
func play(dir string, argv []string) int {
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
			return a.give(dir)
		}
	}
	fmt.Fprintf(os.Stderr, "fake %s has no answer to: %s\n", name, args)
	return 99
}

func (a Answer) give(dir string) int {
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

func await(path string) {
	for range time.Tick(5 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
	}
}

// record appends one line at once: commands run side by side.
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

// Fake is a PATH that has fake commands only.
type Fake struct {
	// Dir is the folder the commands are in.
	Dir string
	t   *testing.T
}

// New makes PATH empty for the time of a test.
func New(t *testing.T) *Fake {
	t.Helper()
	f := &Fake{Dir: t.TempDir(), t: t}
	t.Setenv("PATH", f.Dir)
	t.Setenv(dirEnv, f.Dir)
	// Under the race detector a command would linger for a second at its end.
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	return f
}

// Command installs a command with its answers, or replaces the answers.
func (f *Fake) Command(name string, answers ...Answer) *Fake {
	f.t.Helper()
	self, err := os.Executable()
	if err != nil {
		f.t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(f.Dir, name)); err != nil && !os.IsExist(err) {
		f.t.Fatal(err)
	}
	content, err := json.Marshal(answers)
	if err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(f.Dir, name+".json"), content, 0o600); err != nil {
		f.t.Fatal(err)
	}
	return f
}

// Calls are what the commands were given, in order.
func (f *Fake) Calls() []Call {
	f.t.Helper()
	content, err := os.ReadFile(filepath.Join(f.Dir, "calls"))
	if err != nil && !os.IsNotExist(err) {
		f.t.Fatal(err)
	}
	var calls []Call
	for line := range strings.Lines(string(content)) {
		var c Call
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			f.t.Fatal(err)
		}
		calls = append(calls, c)
	}
	return calls
}

// Lines are the calls' command lines.
func (f *Fake) Lines() []string {
	f.t.Helper()
	var lines []string
	for _, c := range f.Calls() {
		lines = append(lines, c.Line)
	}
	return lines
}

// Forget empties what Calls returns.
func (f *Fake) Forget() {
	f.t.Helper()
	if err := os.RemoveAll(filepath.Join(f.Dir, "calls")); err != nil {
		f.t.Fatal(err)
	}
}

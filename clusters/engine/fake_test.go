package engine

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

// fakeEnv names the folder in which a test and its fake client talk.
const fakeEnv = "DRACONFORM_TEST_FAKE"

// answer is what the fake client does when its arguments, joined by blanks,
// begin with Args.
type answer struct {
	Args   string
	Stdout string
	Stderr string
	Exit   int
	Hang   bool // never ends by itself
}

// call is what the fake client was given.
type call struct {
	Line  string // client and arguments, joined by blanks
	Stdin string
}

// TestMain makes this binary the fake docker or podman where it is called so.
func TestMain(m *testing.M) {
	if dir := os.Getenv(fakeEnv); dir != "" {
		os.Exit(fakeClient(dir, os.Args))
	}
	os.Exit(m.Run())
}

func fakeClient(dir string, argv []string) int {
	client, args := filepath.Base(argv[0]), strings.Join(argv[1:], " ")
	content, err := os.ReadFile(filepath.Join(dir, client+".json"))
	if err != nil {
		panic(err)
	}
	var answers []answer
	if err := json.Unmarshal(content, &answers); err != nil {
		panic(err)
	}
	stdin, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	record(dir, call{Line: client + " " + args, Stdin: string(stdin)})
	for _, a := range answers {
		if !strings.HasPrefix(args, a.Args) {
			continue
		}
		fmt.Print(a.Stdout)
		fmt.Fprint(os.Stderr, a.Stderr)
		if a.Hang {
			interrupted := make(chan os.Signal, 1)
			signal.Notify(interrupted, os.Interrupt)
			<-interrupted
		}
		return a.Exit
	}
	fmt.Fprintf(os.Stderr, "fake %s has no answer to: %s\n", client, args)
	return 99
}

func record(dir string, c call) {
	line, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "calls"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if _, err := f.Write(append(line, '\n')); err != nil {
		panic(err)
	}
}

// fake puts fake clients on an otherwise empty PATH for the time of a test.
type fake struct {
	t   *testing.T
	dir string
}

func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{t: t, dir: t.TempDir()}
	t.Setenv("PATH", f.dir)
	t.Setenv(fakeEnv, f.dir)
	t.Setenv(EnvName, "")
	// Under the race detector the fake would linger for a second at its end.
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	return f
}

// client installs docker or podman with its answers.
func (f *fake) client(name string, answers ...answer) *fake {
	f.t.Helper()
	g := NewWithT(f.t)
	self, err := os.Executable()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.Symlink(self, filepath.Join(f.dir, name))).To(Succeed())
	content, err := json.Marshal(answers)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.WriteFile(filepath.Join(f.dir, name+".json"), content, 0o600)).To(Succeed())
	return f
}

// calls returns what the clients were given, in order.
func (f *fake) calls() []call {
	f.t.Helper()
	g := NewWithT(f.t)
	content, err := os.ReadFile(filepath.Join(f.dir, "calls"))
	if os.IsNotExist(err) {
		return nil
	}
	g.Expect(err).NotTo(HaveOccurred())
	var calls []call
	for line := range strings.Lines(string(content)) {
		var c call
		g.Expect(json.Unmarshal([]byte(line), &c)).To(Succeed())
		calls = append(calls, c)
	}
	return calls
}

// lines returns the calls' command lines.
func (f *fake) lines() []string {
	f.t.Helper()
	var lines []string
	for _, c := range f.calls() {
		lines = append(lines, c.Line)
	}
	return lines
}

// newDocker returns an engine whose client is a fake with these answers.
func newDocker(t *testing.T, answers ...answer) (*Engine, *fake) {
	t.Helper()
	return &Engine{name: docker}, newFake(t).client(docker, answers...)
}

func newPodman(t *testing.T, answers ...answer) (*Engine, *fake) {
	t.Helper()
	return &Engine{name: podman}, newFake(t).client(podman, answers...)
}

// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suiterun

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/draconform/draconform/internal/garbage"
)

// Environment variables of the child process: the names of the cases, each on a line,
// and the directory for the outcomes.
const (
	casesEnv = "DRACONFORM_TEST_SUITE_CASES"
	dirEnv   = "DRACONFORM_TEST_SUITE_DIR"
)

// outcomesFile has the outcomes of the cases of a process in their order.
const outcomesFile = "outcomes.json"

// cases returns the cases of the package by name.
var cases func(name string) (Case, bool)

// Each child process has a place in one of these while it runs. Processes in real time
// wait most of the time, the others never.
var (
	waiting = make(chan struct{}, 8*runtime.GOMAXPROCS(0))
	busy    = make(chan struct{}, runtime.GOMAXPROCS(0))
)

// Main is the TestMain of a package whose tests call [Run]. In a child process
// of [Run], it runs the test that started the process until that test calls Run for
// the cases of the process.
func Main(m *testing.M, all func(name string) (Case, bool)) {
	cases = all
	if _, isChild := os.LookupEnv(casesEnv); !isChild {
		// Tests wait for a place of their process instead.
		if err := flag.Set("test.parallel", strconv.Itoa(math.MaxInt32)); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// Run runs a case in a child process and returns its outcome. env is added to
// the environment of the child. The test fails if the child process fails.
//
// In the child process, which runs the same test, Run runs the case and ends the
// process.
func Run(t *testing.T, name string, env ...string) Outcome {
	t.Helper()
	outcomes, err := start(t, []string{name}, env...)
	if err != nil {
		t.Fatal(err)
	}
	return outcomes[0]
}

// start runs cases in a child process.
func start(t *testing.T, names []string, env ...string) ([]Outcome, error) {
	t.Helper()
	all, realTime, err := find(names)
	if err != nil {
		return nil, err
	}
	joined := strings.Join(names, "\n")
	if joined == os.Getenv(casesEnv) {
		runCases(t, all, realTime)
	}
	dir := t.TempDir()
	output, err := runProcess(t, realTime, append(env, casesEnv+"="+joined, dirEnv+"="+dir))
	var outcomes []Outcome
	if err == nil {
		outcomes, err = readOutcomes(dir, len(names))
	}
	if err != nil {
		return nil, fmt.Errorf("cases %q: %w\n%s", names, err, output)
	}
	return outcomes, nil
}

// runProcess runs this test in a child process as soon as there is a place for it.
func runProcess(t *testing.T, realTime bool, env []string) (output []byte, err error) {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		return nil, err
	}
	places := busy
	if realTime {
		places = waiting
	}
	places <- struct{}{}
	defer func() { <-places }()
	cmd := exec.CommandContext(t.Context(), binary, "-test.run="+only(t.Name()))
	cmd.Env = slices.Concat(os.Environ(), garbage.Environ(garbage.Specs), env)
	return cmd.CombinedOutput()
}

// readOutcomes reads the outcomes of n cases.
func readOutcomes(dir string, n int) ([]Outcome, error) {
	content, err := os.ReadFile(filepath.Join(dir, outcomesFile))
	if err != nil {
		return nil, err
	}
	var outcomes []Outcome
	if err := json.Unmarshal(content, &outcomes); err != nil {
		return nil, err
	}
	if len(outcomes) != n {
		return nil, fmt.Errorf("there are %d outcomes", len(outcomes))
	}
	for i := range outcomes {
		outcomes[i].Dir = dirOf(dir, i)
	}
	return outcomes, nil
}

// dirOf returns the directory of the run of a case.
func dirOf(dir string, i int) string { return filepath.Join(dir, strconv.Itoa(i)) }

// only returns the pattern of -test.run for one test.
func only(test string) string {
	parts := strings.Split(test, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

// find returns cases by their names, and whether one of them has real time.
func find(names []string) (all []Case, realTime bool, err error) {
	for _, name := range names {
		c, ok := cases(name)
		if !ok {
			return nil, false, fmt.Errorf("there is no case %q", name)
		}
		all, realTime = append(all, c), realTime || c.RealTime
	}
	return all, realTime, nil
}

// runCases runs cases in this process and ends the process.
func runCases(t *testing.T, all []Case, realTime bool) {
	end := func() {
		if err := writeOutcomes(all, os.Getenv(dirEnv)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if realTime {
		end()
	}
	// Time passes only while all goroutines wait. Limits do therefore not expire
	// because a machine is busy, and waiting takes no time. The goroutine of os/signal
	// waits for the system, and so has to be started before, by the first call.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	synctest.Test(t, func(*testing.T) { end() })
}

// writeOutcomes runs cases and writes their outcomes.
func writeOutcomes(all []Case, dir string) error {
	outcomes, err := runAll(all, dir)
	if err != nil {
		return err
	}
	content, err := json.Marshal(outcomes)
	return errors.Join(err, os.WriteFile(filepath.Join(dir, outcomesFile), content, 0o600))
}

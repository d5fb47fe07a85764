// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/clusters/doctor"
	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/e2e/job"
	"github.com/draconform/draconform/e2e/report"
)

// Scripts with a cluster: live.yaml is the kubeconfig of one with DRA, left.yaml of one
// in which a run left objects, plain.yaml of one without DRA, and down.yaml of one that
// does not answer.
func TestExitStatusScripts(t *testing.T) {
	servers := map[string]string{
		"live.yaml": serveCluster(t, true, podWith("")), "left.yaml": serveCluster(t, true, leftovers()...),
		"plain.yaml": serveCluster(t, false), "down.yaml": "http://127.0.0.1:1",
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/exit-status",
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", filepath.SplitList(os.Getenv("PATH"))[0])
			e.Setenv("KUBECONFIG", filepath.Join(e.WorkDir, "no-kubeconfig"))
			for name, server := range servers {
				if err := writeKubeconfig(filepath.Join(e.WorkDir, name), server); err != nil {
					return err
				}
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "lines": lines},
	})
}

// leftovers are objects that two runs left in a cluster.
func leftovers() []runtime.Object {
	of := func(namespace, name, run string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{engine.RunLabel: run}}
	}
	return []runtime.Object{
		&corev1.Namespace{ObjectMeta: of("", "draconform-a1b2", "20260301-120000-a1b2")},
		&resourceapi.ResourceClaim{ObjectMeta: of("team", "claim-1", "20260302-120000-c3d4")},
		&schedulingv1.PriorityClass{ObjectMeta: of("", "draconform-low", "20260302-120000-c3d4")},
	}
}

// notInScripts are the exit statuses that no script provokes, and why.
var notInScripts = map[string]string{
	"draconform job run 0":           "TestJobVerdictFails",
	"draconform skew 0":              "TestPrintVerdictFails",
	"draconform doctor 0":            "TestDoctorFails",
	"draconform cluster create 0":    "it needs a container engine, such as that of \"make e2e\"",
	"draconform cluster upgrade 0":   "it needs a cluster, such as those of journeys",
	"draconform cluster downgrade 0": "it needs a cluster, such as those of journeys",
	"draconform cluster gates 0":     "it needs a cluster, such as those of journeys",
	"draconform cluster scheduler 0": "it needs a cluster, such as those of journeys",
}

// Every exit status in the table of docs/exit-status.md is provoked.
func TestExitStatusOfEveryRow(t *testing.T) {
	g := NewWithT(t)
	scripts, err := filepath.Glob("testdata/*/*.txtar")
	g.Expect(err).NotTo(HaveOccurred())
	var all []invocation
	root := newCommand()
	for _, path := range scripts {
		content, err := os.ReadFile(path)
		g.Expect(err).NotTo(HaveOccurred())
		for line := range strings.Lines(string(content)) {
			if i, ok := invocationIn(root, line); ok {
				all = append(all, i)
			}
		}
	}
	commands := documentedCommands(t)
	g.Expect(len(commands)).To(BeNumerically(">", 15), "the table is read")
	for _, command := range commands {
		for _, status := range []string{"0", "1"} {
			found := slices.ContainsFunc(all, func(i invocation) bool { return i.provokes(command, status) })
			why := notInScripts[command+" "+status]
			g.Expect(found).To(Equal(why == ""), "%s with exit status %s, %s", command, status, why)
		}
	}
}

// The table has the commands whose help states their exit status.
func TestExitStatusOfHelpHasARow(t *testing.T) {
	g := NewWithT(t)
	var rows []string
	for _, command := range documentedCommands(t) {
		name, _, _ := strings.Cut(command, " --")
		rows = append(rows, name)
	}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		if strings.Contains(cmd.Long, "Exit status:") && cmd.HasParent() {
			g.Expect(rows).To(ContainElement(cmd.CommandPath()))
		}
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(newCommand())
}

// invocation is a line of a script that runs a command and expects an exit status.
type invocation struct {
	command, status string
	words           []string
}

// invocationIn returns the invocation in a line of a script, if it has one.
func invocationIn(root *cobra.Command, line string) (invocation, bool) {
	status, words := "0", strings.Fields(line)
	if len(words) > 2 && words[0] == "exits" {
		status, words = words[1], words[2:]
	}
	if len(words) < 2 || words[0] != "draconform" || slices.Contains(words, "--help") {
		return invocation{}, false
	}
	cmd, _, err := root.Find(words[1:])
	return invocation{cmd.CommandPath(), status, words}, err == nil
}

// provokes reports whether a script expects an exit status of a command, which may be
// one with a flag.
func (i invocation) provokes(command, status string) bool {
	name, flag, _ := strings.Cut(command, " --")
	if flag == "" && status == "0" && slices.Contains(i.words, "--dry-run") || flag != "" && !slices.Contains(i.words, "--"+flag) {
		return false
	}
	return i.status == status && i.command == name
}

// documentedCommands returns the commands in the first column of the table.
func documentedCommands(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile("../../../docs/exit-status.md")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	var all []string
	for line := range strings.Lines(string(page)) {
		if !strings.HasPrefix(line, "| `draconform ") {
			continue
		}
		cell, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " |")
		prefix := ""
		for _, quoted := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
			command := quoted[1]
			if !strings.HasPrefix(command, "draconform ") { // Relatives of the command before.
				command = prefix + command
			}
			all = append(all, command)
			prefix = command[:strings.LastIndex(command, " ")+1]
		}
	}
	return all
}

// A Job fails like its run.
func TestJobVerdictFails(t *testing.T) {
	for result, fails := range map[report.Result]bool{report.Passed: false, report.NothingDecided: false, report.Failed: true, report.Incomplete: true} {
		g := NewWithT(t)
		dir := t.TempDir()
		_, err := report.Report{Run: report.Run{ID: "r"}, Verdict: report.Verdict{Result: result}}.Write(dir)
		g.Expect(err).NotTo(HaveOccurred())
		cmd := &cobra.Command{}
		cmd.SetOut(io.Discard)
		err = printJobVerdict(cmd, job.Result{Folder: dir}, nil)
		if fails {
			g.Expect(err).To(MatchError(errVerdict), string(result))
		} else {
			g.Expect(err).NotTo(HaveOccurred(), string(result))
		}
		g.Expect(exitStatus(printJobVerdict(cmd, job.Result{Folder: dir, ExitCode: exitUsage}, nil))).To(Equal(exitUsage), "the run has not started")
	}
}

// Only a machine that cannot run clusters fails the command.
func TestDoctorFails(t *testing.T) {
	g := NewWithT(t)
	for status, want := range map[doctor.Status]int{doctor.OK: 0, doctor.Warn: 0, doctor.Fail: exitFailed} {
		g.Expect(exitStatus(checkMachine([]doctor.Result{{Name: "a", Status: doctor.OK}, {Name: "b", Status: status}}))).To(Equal(want), string(status))
	}
}

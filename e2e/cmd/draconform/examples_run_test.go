// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/draconform/draconform/e2e/subject"
)

// notExecuted are the commands whose examples are only checked, with the reason.
// Examples of commands with a dry run are executed with it.
var notExecuted = map[string]string{
	"draconform cluster":    "it needs a container engine, as journeys and \"make e2e-start\" have",
	"draconform node-image": "it needs a container engine, as \"make e2e\" has",
	"draconform images":     "it builds images, as \"make e2e\" does",
	"draconform cache load": "it needs an archive, as tests of package nodeimage have",
	"draconform job run":    "it needs a cluster that runs pods",
	"draconform job fetch":  "it needs a cluster that runs pods",
	"draconform docs":       "it writes into the system",
}

// otherStatuses are the exit statuses of examples in the folder and the cluster of this
// test, by the beginning of the command, if they are not 0. The longest beginning counts.
var otherStatuses = map[string]int{
	"draconform doctor":                    1, // The test has no container engine.
	"draconform clean":                     1,
	"draconform clean --provider existing": 0,
	"draconform report untried":            1, // The reports of the test are short.
}

// TestExamplesAreExecuted executes the commands of the documentation and of the help in
// a folder with the files and a cluster with the objects that they name.
func TestExamplesAreExecuted(t *testing.T) {
	base := exampleFolder(t)
	executed := map[string]bool{}
	for _, words := range allExamples(t) {
		line := strings.Join(words, " ")
		if executed[line] || words[0] == "make" || strings.Contains(line, placeholder) {
			continue
		}
		cmd, _, err := newCommand().Find(words[1:])
		if err != nil || !cmd.Runnable() || reasonNotTo(cmd) != "" || slices.ContainsFunc(words, isNotHere) {
			continue
		}
		executed[line] = true
		t.Run(line, func(t *testing.T) { executeExample(t, base, cmd, words) })
	}
	NewWithT(t).Expect(len(executed)).To(BeNumerically(">", 60))
}

// isNotHere reports whether a flag needs a container engine, or an address of the machine.
func isNotHere(flag string) bool { return flag == "--kind-cluster" || flag == "--address" }

// reasonNotTo returns why the examples of a command are not executed, or nothing.
func reasonNotTo(cmd *cobra.Command) string {
	if cmd.HasParent() && cmd.Parent().Name() == "cluster" {
		cmd = cmd.Parent()
	}
	return notExecuted[cmd.CommandPath()]
}

// allExamples returns all commands in blocks of code.
func allExamples(t *testing.T) (all [][]string) {
	t.Helper()
	g := NewWithT(t)
	pages, err := filepath.Glob("../../../docs/*.md")
	g.Expect(err).NotTo(HaveOccurred())
	add := func(e example) {
		calls, err := e.calls()
		g.Expect(err).NotTo(HaveOccurred(), e.text)
		if !e.inline {
			all = append(all, calls...)
		}
	}
	for _, page := range append(pages, "../../../README.md", "../../../hack/site/content/_index.md") {
		content, err := os.ReadFile(page)
		g.Expect(err).NotTo(HaveOccurred())
		for _, e := range examplesIn(content) {
			add(e)
		}
	}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, e := range commandLines(cmd.Example) {
			add(e)
		}
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(newCommand())
	return all
}

// executeExample executes a command in a copy of the folder.
func executeExample(t *testing.T, base string, cmd *cobra.Command, words []string) {
	t.Helper()
	g := NewWithT(t)
	dir := filepath.Join(t.TempDir(), "folder")
	g.Expect(os.CopyFS(dir, os.DirFS(base))).To(Succeed())
	t.Chdir(dir)
	t.Setenv("PATH", dir)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	t.Setenv("KUBECONFIG", filepath.Join(dir, "kubeconfig"))
	args := slices.Clone(words[1:])
	if cmd.Flags().Lookup("dry-run") != nil && !slices.Contains(args, "--dry-run") {
		args = append(args, "--dry-run")
	}
	if i := slices.Index(args, "--output-file"); i >= 0 {
		g.Expect(os.Remove(args[i+1])).To(Succeed(), "the command writes it")
	}
	stdin, err := os.Open("objects.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = stdin.Close() }()
	var out bytes.Buffer
	root := newCommand()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(&out)
	root.SetErr(&out)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err = root.ExecuteContext(ctx)
	want, longest := 0, 0
	for beginning, status := range otherStatuses {
		if strings.HasPrefix(strings.Join(words, " "), beginning) && len(beginning) > longest {
			want, longest = status, len(beginning)
		}
	}
	g.Expect(exitStatus(err)).To(Equal(want), "%v\n%s", err, lastLines(out.String()))
}

// exampleFolder returns a folder with the files that examples name, and the kubeconfig
// of a cluster with what they name.
func exampleFolder(t *testing.T) string {
	t.Helper()
	g := NewWithT(t)
	dir := t.TempDir()
	write := func(name, content string) {
		path := filepath.Join(dir, name)
		g.Expect(os.MkdirAll(filepath.Dir(path), 0o755)).To(Succeed())
		g.Expect(os.WriteFile(path, []byte(content), 0o644)).To(Succeed())
	}
	for _, file := range readArchive(t, "testdata/examples/folder.txtar") {
		write(file.Name, string(file.Data))
	}
	for _, file := range readArchive(t, "testdata/script/report.txtar") {
		if file.Name == "before/report.yaml" {
			for _, folder := range []string{"_artifacts/20260301-120000-0a1f", "_artifacts/20260302-120000-1b2e", "1.36-default-draconform/run", "1.37-alpha-draconform/run"} {
				write(folder+"/report.yaml", string(file.Data))
			}
		}
	}
	write("_artifacts/20260302-120000-1b2e/report.html", "")
	for _, file := range readArchive(t, "testdata/script/report-publish.txtar") {
		if rest, ok := strings.CutPrefix(file.Name, "good/"); ok {
			write("reports/"+rest, string(file.Data))
		}
	}
	for name, fake := range map[string]string{"gpu.yaml": "mig", "gpu-time-slicing.yaml": "mig", "nic.yaml": "nic"} {
		content, err := subject.FakeFile(fake)
		g.Expect(err).NotTo(HaveOccurred())
		write(name, string(content))
	}
	for _, program := range []string{"my-scheduler", "_output/bin/kube-scheduler"} {
		write(program, "")
		g.Expect(os.Chmod(filepath.Join(dir, program), 0o755)).To(Succeed())
	}
	pod := func(namespace string) *corev1.Pod {
		return podWith("", func(p *corev1.Pod) { p.ObjectMeta = metav1.ObjectMeta{Namespace: namespace, Name: "train-0"} })
	}
	address := serveObjects(t, "testdata/examples/cluster.yaml", true, pod("default"), pod("team"))
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: address}
	for _, name := range []string{"my-cluster", "kind-work"} {
		config.Contexts[name] = &clientcmdapi.Context{Cluster: "c"}
	}
	config.CurrentContext = "my-cluster"
	g.Expect(clientcmd.WriteToFile(*config, filepath.Join(dir, "kubeconfig"))).To(Succeed())
	return dir
}

func readArchive(t *testing.T, path string) []txtar.File {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	NewWithT(t).Expect(err).NotTo(HaveOccurred(), fmt.Sprint(path))
	return archive.Files
}

// lastLines returns the end of a long text.
func lastLines(text string) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-30):], "\n")
}

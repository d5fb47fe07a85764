// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/clusters/engine"
)

// Shells offer the files of the current folder as the value of a flag, unless the
// command says what the values are.
func TestFlagsAreCompleted(t *testing.T) {
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if _, ok := cmd.GetFlagCompletionFunc(f.Name); !ok && f.NoOptDefVal == "" && !slices.Contains(fileFlags, f.Name) {
				t.Errorf("%s --%s has no completion", cmd.CommandPath(), f.Name)
			}
		})
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(newCommand())
}

// The same flag has the same letter in all commands.
func TestFlagsHaveTheSameLetters(t *testing.T) {
	letters := map[string]string{}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if letter, seen := letters[f.Name]; seen && letter != f.Shorthand {
				t.Errorf("%s --%s has the letter %q, and elsewhere %q", cmd.CommandPath(), f.Name, f.Shorthand, letter)
			}
			letters[f.Name] = f.Shorthand
		})
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(newCommand())
}

func TestCompletionsOfACluster(t *testing.T) {
	ofRun := func(name, run string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: name, Name: name, Labels: map[string]string{engine.RunLabel: run}}
	}
	address := serveCluster(t, true,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team"}}, &corev1.Namespace{ObjectMeta: ofRun("draconform-a1b2", "20260301-120000-a1b2")},
		&batchv1.Job{ObjectMeta: ofRun("draconform-a1b2", "20260301-120000-a1b2")}, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "backup"}},
	)
	kubeconfig := t.TempDir() + "/config"
	NewWithT(t).Expect(writeKubeconfig(kubeconfig, address)).To(Succeed())
	for line, want := range map[string][]string{
		"run --namespace":                       {"draconform-a1b2", "team"},
		"clean --namespace":                     {"draconform-a1b2", "team"},
		"driver check --namespace":              {"draconform-a1b2", "team"},
		"job run --namespace":                   {"draconform-a1b2", "team"},
		"clean --provider existing --run":       {"20260301-120000-a1b2"},
		"job fetch":                             {"draconform-a1b2"},
		"job fetch --namespace team":            nil,
		"allocate --live --node":                {"worker-1", "worker-2", "worker-3"},
		"explain pod --namespace":               {"draconform-a1b2", "team"},
		"pools --driver":                        {"gpu.example.com", "nic.example.com"},
		"driver init --name":                    {"gpu.example.com", "nic.example.com"},
		"job fetch --namespace draconform-a1b2": {"draconform-a1b2"},
	} {
		t.Run(line, func(t *testing.T) {
			g := NewWithT(t)
			words := strings.Fields(line)
			flag := len(words)
			for i, word := range words {
				if strings.HasPrefix(word, "--") {
					flag = i
					break
				}
			}
			args := slices.Concat([]string{cobra.ShellCompRequestCmd}, words[:flag], []string{"--kubeconfig", kubeconfig}, words[flag:], []string{""})
			var out strings.Builder
			root := newCommand()
			root.SetOut(&out)
			root.SetArgs(args)
			g.Expect(root.ExecuteContext(t.Context())).To(Succeed())
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			g.Expect(lines[:len(lines)-1]).To(ConsistOf(want), out.String())
		})
	}
}

// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	kindexec "sigs.k8s.io/kind/pkg/exec"

	"github.com/draconform/draconform/clusters/internal/fake"
	"github.com/draconform/draconform/clusters/progress"
)

func TestCreateRejectsANameInUse(t *testing.T) {
	for name, test := range map[string]struct {
		ours fake.Answer
		want string
	}{
		"by a cluster of draconform": {
			twoClusters,
			`cluster name "c" is in use: remove that cluster with "draconform cluster delete c" or choose another name`,
		},
		"by another kind cluster": {
			fake.Answer{Args: listOurs},
			`cluster name "c" is in use by a kind cluster that is not draconform's: choose another name`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			p, f := newProvider(t, test.ours, fake.Answer{Args: listNames, Stdout: "c\nc\nd\n"})
			_, err := p.Create(t.Context())
			g.Expect(err).To(MatchError(test.want))
			g.Expect(f.Lines()).To(HaveEach(HavePrefix("docker ps ")), "nothing is changed")
		})
	}
}

func TestNameIsFreeWithOtherClusters(t *testing.T) {
	p, _ := newProvider(t, fake.Answer{Args: listNames, Stdout: "cc\nd\n"})
	NewWithT(t).Expect(p.nameIsFree(t.Context())).To(Succeed())
}

// creation returns the answers of an engine on which kind gets as far as the lookup of its network.
func creation(network, remove fake.Answer) []fake.Answer {
	network.Args, remove.Args = "network ls", "rm --force --volumes c1"
	return append(objectsOf(), engineInfo, network, remove,
		fake.Answer{Args: "ps"},
		fake.Answer{Args: "create --pull=never --label draconform.dev/run=r1 my/node:1", Stdout: "labelling\n"},
		fake.Answer{Args: "commit --change LABEL draconform.dev/run=r1 labelling draconform/run:r1"},
		fake.Answer{Args: "rm --force --volumes labelling"},
		fake.Answer{Args: "inspect --type=image draconform/run:r1"},
		fake.Answer{Args: "image rm"})
}

func TestFailedCreateRemovesEverything(t *testing.T) {
	g := NewWithT(t)
	p, f := newProvider(t, creation(fake.Answer{Exit: 1, Stderr: "iptables: no such chain\n"}, fake.Answer{})...)
	var out bytes.Buffer
	p.options.Image, p.options.Progress = "my/node:1", progress.New(&out)
	_, err := p.Create(t.Context())
	g.Expect(err).To(MatchError(HavePrefix("create cluster c: failed to ensure docker network: ")))
	g.Expect(err).To(MatchError(HaveSuffix("\niptables: no such chain")), "the output of the command")
	g.Expect(f.Lines()).To(ContainElements(removeContainer, removeImage))
	g.Expect(f.Lines()).NotTo(ContainElement(MatchRegexp("rm .*c2")), "a container of another run")
	g.Expect(p.GetKubeconfig()).To(BeEmpty())
	g.Expect(out.String()).To(And(
		HavePrefix(" • cluster c: Kubernetes "+p.options.Release.Version+", 1 workers, gates default ..."),
		ContainSubstring("failed"),
	))
}

// TestCreateEndsWithItsContext cancels the context while kind is running. kind takes no context and fails when its
// containers are removed.
func TestCreateEndsWithItsContext(t *testing.T) {
	g := NewWithT(t)
	p, f := newProvider(t, creation(fake.Answer{Wait: true, Exit: 1, Stderr: "interrupted\n"}, fake.Answer{Release: true})...)
	p.options.Image = "my/node:1"
	ctx, cancel := context.WithCancelCause(t.Context())
	failed := make(chan error)
	go func() {
		_, err := p.Create(ctx)
		failed <- err
	}()
	g.Eventually(f.Lines).WithTimeout(lots).Should(ContainElement(HavePrefix("docker network ls")), "kind is running")
	cancel(errors.New("the user pressed ^C"))
	var err error
	g.Eventually(failed).WithTimeout(lots).Should(Receive(&err))
	g.Expect(err).To(MatchError(And(HavePrefix("create cluster c: the user pressed ^C"), ContainSubstring("failed to ensure docker network"))))
	g.Expect(f.Lines()).To(ContainElements(removeContainer, removeImage))
}

func TestHostReadsCgroupsAndRejectsAFullDisk(t *testing.T) {
	g := NewWithT(t)
	p, _ := newProvider(t, fake.Answer{Args: "info", Stdout: `{"CgroupVersion":"1","DockerRootDir":"/nonexistent"}`})
	h, err := p.host(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(h.cgroupV1).To(BeTrue())
	// The proc filesystem has no free space.
	p, _ = newProvider(t, fake.Answer{Args: "info", Stdout: `{"CgroupVersion":"2","DockerRootDir":"/proc"}`})
	_, err = p.host(t.Context())
	g.Expect(err).To(MatchError("the disk that holds /proc has 0.0 GiB free, a cluster needs 6 GiB: " +
		"free some, for example by removing unused images"))
}

func TestWithOutputAddsTheLastLines(t *testing.T) {
	var output strings.Builder
	for i := range 20 {
		fmt.Fprintf(&output, "line %d\n", i)
	}
	failed := &kindexec.RunError{Command: []string{"docker", "run"}, Output: []byte(output.String()), Inner: errors.New("exit status 1")}
	silent := &kindexec.RunError{Command: []string{"docker", "run"}, Inner: errors.New("exit status 1")}
	for name, test := range map[string]struct {
		err  error
		want OmegaMatcher
	}{
		"of a command":             {failed, MatchRegexp(`(?s)^command "docker run" failed .*: exit status 1\nline 5\n.*\nline 19$`)},
		"but none without output":  {silent, Equal(silent.Error())},
		"but none to other errors": {errors.New("no name"), Equal("no name")},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			got := withOutput(test.err)
			g.Expect(got.Error()).To(test.want)
			g.Expect(errors.Is(got, test.err)).To(BeTrue(), "callers branch on it")
		})
	}
}

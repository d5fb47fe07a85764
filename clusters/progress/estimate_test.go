// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package progress

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
)

// counted is a count of a task.
type counted int

func (c counted) Count() int { return int(c) }

// job sets the goals of the tests: a task with a count, which it returns as in
// usual.json, a task without a count, and a second goal.
func job(t *testing.T, out *shared) (*Reporter, usual) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	var known map[string]usual
	NewWithT(t).Expect(json.Unmarshal(usualJSON, &known)).To(Succeed())
	r := New(out)
	r.Expect(
		Goal{"the first spec", []ExpectedTask{{Name: "kubernetes"}, {Name: "cluster"}}},
		Goal{"the verdict", []ExpectedTask{{Name: "spec", Times: 10}}},
	)
	return r, known["kubernetes"]
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func TestExpectWritesTheEstimate(t *testing.T) {
	g := NewWithT(t)
	var out shared
	job(t, &out)
	g.Expect(out.String()).To(MatchRegexp(`^   about \d+ min until the first spec, \d+ min until the verdict\n$`))
}

func TestEstimateAdaptsToThePaceOfTheMachine(t *testing.T) {
	for name, slower := range map[string]float64{"as usual": 1, "half as fast": 2, "twice as fast": 0.5} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				var out shared
				r, k := job(t, &out)
				task := r.TaskOf("kubernetes", "build")
				<-time.After(time.Minute) // queued while another task compiles
				task.Update("%d", counted(1))
				<-time.After(seconds(k.Seconds * slower / 2))
				task.Update("%d", counted(k.Count/2))
				rest := r.estimate.tasks["kubernetes"].rest(r.estimate.current())
				g.Expect(rest.Seconds()).To(BeNumerically("~", k.Seconds*slower/2, k.Seconds*slower*0.15), "of the remaining half")
				<-time.After(seconds(k.Seconds * slower / 2))
				task.Update("%d", counted(k.Count))
				task.Done("")
				g.Expect(r.estimate.tasks["kubernetes"].rest(1)).To(BeZero())
				g.Expect(readPace(paceFile())).To(BeNumerically("~", slower, slower*0.2), "for later jobs")
			})
		})
	}
}

// The tasks of a busy machine that compiles slowly wait hardly longer than usual.
func TestEstimateOfTasksThatWaitDependsOnThemAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		var out shared
		r, _ := job(t, &out)
		specs := r.estimate.tasks["spec"]
		whole := specs.usual.Seconds()
		r.estimate.pace = 5
		g.Expect(specs.rest(r.estimate.current()).Seconds()).To(Equal(whole))
		task := r.TaskOf("spec", "specs")
		task.Update("%d", counted(1))
		<-time.After(time.Hour)
		task.Update("%d", counted(5))
		g.Expect(specs.rest(r.estimate.current())).To(BeNumerically(">", 10*time.Minute), "far slower than usual")
		g.Expect(r.estimate.current()).To(BeNumerically("~", 5, 0.01), "compilers are not")
		task.Done("")
	})
}

func TestEstimateIsOfTheNextGoal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		var out shared
		r, _ := job(t, &out)
		r.Drop("kubernetes")
		task := r.TaskOf("cluster", "cluster")
		g.Expect(r.estimate.left()).To(MatchRegexp(`^about \d+ s until the first spec$`))
		<-time.After(time.Hour)
		g.Expect(r.estimate.left()).To(Equal("about 5 s until the first spec"), "after longer than usual")
		task.Done("")
		g.Expect(r.estimate.left()).To(MatchRegexp(`^about \d+ s until the verdict$`))
		specs := r.TaskOf("spec", "specs")
		specs.Update("%d", counted(10))
		specs.Done("")
		g.Expect(r.estimate.left()).To(BeEmpty())
	})
}

func TestGoalIsReachedWhenATaskOfTheNextGoalStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		var out shared
		r, _ := job(t, &out)
		r.TaskOf("cluster", "cluster").Done("")
		g.Expect(r.estimate.left()).To(ContainSubstring("until the first spec"), "Kubernetes is not built yet")
		task := r.TaskOf("spec", "specs")
		g.Expect(r.estimate.left()).To(MatchRegexp(`^about \d+ s until the verdict$`), "without the tasks that were not needed")
		task.Done("")
		g.Expect(r.estimate.left()).To(BeEmpty())
	})
}

func TestReadPaceIgnoresInvalidFiles(t *testing.T) {
	g := NewWithT(t)
	file := filepath.Join(t.TempDir(), "draconform", "pace")
	g.Expect(readPace(file)).To(Equal(1.0), "without a file")
	writePace(file, 2.5)
	g.Expect(readPace(file)).To(Equal(2.5))
	for _, content := range []string{"", "fast", "-1", "0", "1e9", "NaN"} {
		g.Expect(os.WriteFile(file, []byte(content), 0o600)).To(Succeed())
		g.Expect(readPace(file)).To(Equal(1.0), content)
	}
}

func TestAbout(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "5 s", 12 * time.Second: "10 s", 88 * time.Second: "90 s", 100 * time.Second: "2 min", 9*time.Minute + 40*time.Second: "10 min",
	} {
		NewWithT(t).Expect(about(d)).To(Equal(want), d.String())
	}
}

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

// counted is a count of a part.
type counted int

func (c counted) Count() int { return int(c) }

// job sets the goals of the tests: a part with a count, which it returns as in
// usual.json, a part without a count, and a second goal.
func job(t *testing.T, out *shared) (*Reporter, usual) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	var known map[string]usual
	NewWithT(t).Expect(json.Unmarshal(usualJSON, &known)).To(Succeed())
	r := New(out)
	r.Expect(
		Goal{"the first spec", []Part{{Name: "kubernetes"}, {Name: "cluster"}}},
		Goal{"the verdict", []Part{{Name: "spec", Times: 10}}},
	)
	return r, known["kubernetes"]
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func TestExpectTellsHowLongItTakes(t *testing.T) {
	g := NewWithT(t)
	var out shared
	job(t, &out)
	g.Expect(out.String()).To(MatchRegexp(`^   about \d+ min until the first spec, \d+ min until the verdict\n$`))
}

func TestEstimateFollowsThePaceOfTheMachine(t *testing.T) {
	for name, slower := range map[string]float64{"as usual": 1, "half as fast": 2, "twice as fast": 0.5} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				var out shared
				r, k := job(t, &out)
				s := r.StageOf("kubernetes", "build")
				<-time.After(time.Minute) // queued while another part compiles
				s.Update("%d", counted(1))
				<-time.After(seconds(k.Seconds * slower / 2))
				s.Update("%d", counted(k.Count/2))
				rest := r.estimate.parts["kubernetes"].rest(r.estimate.current())
				g.Expect(rest.Seconds()).To(BeNumerically("~", k.Seconds*slower/2, k.Seconds*slower*0.15), "of the half that is left")
				<-time.After(seconds(k.Seconds * slower / 2))
				s.Update("%d", counted(k.Count))
				s.Done("")
				g.Expect(r.estimate.parts["kubernetes"].rest(1)).To(BeZero())
				g.Expect(readPace(paceFile())).To(BeNumerically("~", slower, slower*0.2), "for the next time")
			})
		})
	}
}

func TestEstimateTellsOfTheNextGoal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		var out shared
		r, _ := job(t, &out)
		r.Drop("kubernetes")
		s := r.StageOf("cluster", "cluster")
		g.Expect(r.estimate.left()).To(MatchRegexp(`^about \d+ s until the first spec$`))
		<-time.After(time.Hour)
		g.Expect(r.estimate.left()).To(Equal("about 5 s until the first spec"), "what takes longer than ever is about to end")
		s.Done("")
		g.Expect(r.estimate.left()).To(MatchRegexp(`^about \d+ s until the verdict$`))
		specs := r.StageOf("spec", "specs")
		specs.Update("%d", counted(10))
		specs.Done("")
		g.Expect(r.estimate.left()).To(BeEmpty())
	})
}

func TestAGoalIsReachedWhenThePartsOfTheNextHaveBegun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		var out shared
		r, _ := job(t, &out)
		r.StageOf("cluster", "cluster").Done("")
		g.Expect(r.estimate.left()).To(ContainSubstring("until the first spec"), "Kubernetes is still expected")
		s := r.StageOf("spec", "specs")
		g.Expect(r.estimate.left()).To(MatchRegexp(`^about \d+ s until the verdict$`), "without the time of what was not needed")
		s.Done("")
		g.Expect(r.estimate.left()).To(BeEmpty())
	})
}

func TestPaceThatMakesNoSenseIsAsUsual(t *testing.T) {
	g := NewWithT(t)
	file := filepath.Join(t.TempDir(), "draconform", "pace")
	g.Expect(readPace(file)).To(Equal(1.0), "when nothing is known")
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

package overview

// form is how much of a GPU is drawn.
type form uint8

const (
	formFull form = iota // five lines: header, three bars, gaps
	formTwo              // header with figures, one nested bar
	formOne              // one line
)

// lines returns the height of a card.
func (f form) lines() int {
	switch f {
	case formFull:
		return 5
	case formTwo:
		return 2
	case formOne:
		return 1
	}
	return 1
}

// minWidth returns the least width of a card.
func (f form) minWidth() int {
	switch f {
	case formFull:
		return 60
	case formTwo:
		return 70
	case formOne:
		return 20
	}
	return 20
}

// plan is where everything goes. It follows from the size of the terminal and
// the number of cards alone, so that nothing moves when data change.
type plan struct {
	form     form
	across   int  // cards side by side
	airy     bool // an empty line after each row of cards
	caption  bool // a line of titles over one-line cards
	cardRows int  // rows of cards on screen; fewer than there are means scrolling
	cardsH   int  // lines all that takes
	findingH int  // lines for the most important finding
	chartH   int  // lines for the chart of a single GPU
	tableH   int  // heading included
	rule     bool
	sources  bool
	detailH  int
	hints    bool
}

const (
	gutter        = 3  // between cards side by side
	wideCard      = 76 // a full card beside another
	narrowOneCard = 34 // a one-line card beside another
)

func newPlan(width, height, cards int) plan {
	p := plan{
		rule:    height >= 10,
		sources: height >= 14,
		hints:   height >= 16,
	}
	switch {
	case height >= 20:
		p.detailH = 2
	case height >= 4:
		p.detailH = 1
	}
	p.findingH = newPlanFinding(height)
	avail := height - 1 - p.findingH - p.detailH - b2i(p.rule) - b2i(p.sources) - b2i(p.hints)
	least := min(max(3, avail/3), 9) // for the table
	if avail < 5 {
		least = 0
	}
	p.chooseCards(width, avail, least, cards)
	table := max(5, min(avail/3, 10)) // what the chart leaves to it
	if room := avail - p.cardsH - table; cards == 1 && room >= leastChart && width >= leastChartWidth {
		p.chartH = min(room, 24)
		avail -= p.chartH
	}
	p.tableH = max(0, avail-p.cardsH)
	if p.tableH < 2 {
		p.cardsH, p.tableH = p.cardsH+p.tableH, 0
	}
	return p
}

// The least size of the chart that a single GPU gets.
const (
	leastChart      = 6
	leastChartWidth = 76
)

// newPlanFinding returns how many lines the most important finding has. Where
// it has none it shares the line at the bottom.
func newPlanFinding(height int) int {
	switch {
	case height >= 30:
		return 2
	case height >= 14:
		return 1
	}
	return 0
}

// candidate is a way to arrange the cards.
type candidate struct {
	form   form
	across int
	airy   bool
}

// chooseCards takes the fullest arrangement that leaves half of the room to the
// table, else the fullest that leaves the least it needs, else scrolls.
func (p *plan) chooseCards(width, avail, least, cards int) {
	roomy := []candidate{
		{formFull, 1, true}, {formFull, 1, false}, {formFull, 2, true}, {formFull, 2, false}, {formFull, 3, false},
	}
	tight := []candidate{
		{formFull, 2, false}, {formFull, 1, false}, {formTwo, 1, false}, {formTwo, 2, false},
		{formOne, 1, false}, {formOne, 2, false}, {formOne, 3, false},
	}
	for _, c := range roomy {
		if c.fits(width, cards) && c.height(cards) <= avail/2 {
			p.take(c, cards, c.height(cards))
			return
		}
	}
	for _, c := range tight {
		if c.fits(width, cards) && c.height(cards) <= avail-least {
			p.take(c, cards, avail-least)
			return
		}
	}
	across := 1
	for across < 3 && (candidate{formOne, across + 1, false}).fits(width, cards) {
		across++
	}
	p.take(candidate{formOne, across, false}, cards, max(1, avail-least))
}

func (p *plan) take(c candidate, cards, limit int) {
	p.form, p.across, p.airy = c.form, c.across, c.airy
	rows := ceilDiv(cards, c.across)
	per := c.form.lines() + b2i(c.airy)
	p.caption = c.form == formOne && rows > 0 && rows+1 <= limit
	p.cardRows = min(rows, (limit-b2i(p.caption))/per)
	p.cardsH = p.cardRows*per + b2i(p.caption)
}

func (c candidate) height(cards int) int {
	return ceilDiv(cards, c.across) * (c.form.lines() + b2i(c.airy))
}

func (c candidate) fits(width, cards int) bool {
	if c.across == 1 {
		return width >= c.form.minWidth()
	}
	least := wideCard
	if c.form == formOne {
		least = narrowOneCard
	}
	return cards >= c.across && cardWidth(width, c.across) >= least
}

// cardWidth returns the width of one of several cards side by side.
func cardWidth(width, across int) int { return (width - gutter*(across-1)) / across }

func ceilDiv(a, b int) int { return (a + b - 1) / b }

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
